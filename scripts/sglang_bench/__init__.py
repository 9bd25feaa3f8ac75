"""What measuring through an SGLang server costs; see scripts/bench_sglang."""
