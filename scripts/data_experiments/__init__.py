"""Five experiments on what calibration data does, registered before they are run."""
