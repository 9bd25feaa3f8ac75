"""A BF16 model and its NVFP4 candidate on real SGLang servers with a GPU: costs, errors and floors."""
