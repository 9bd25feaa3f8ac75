"""The settings of the tiny hybrid model, named as MiniCPM-SALA's are."""

from transformers import PretrainedConfig


class TinyHybridConfig(PretrainedConfig):
    model_type = "tiny_hybrid"

    def __init__(
        self,
        vocab_size=258,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        lightning_nh=4,
        lightning_nkv=4,
        lightning_head_dim=16,
        max_position_embeddings=512,
        rms_norm_eps=1e-6,
        rope_theta=10000.0,
        initializer_range=0.1,
        mixer_types=("minicpm4", "lightning-attn", "lightning-attn", "lightning-attn"),
        sparse_config=None,
        scale_emb=2.0,
        scale_depth=1.4,
        dim_model_base=32,
        tie_word_embeddings=False,
        **kwargs,
    ):
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.intermediate_size = intermediate_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.num_key_value_heads = num_key_value_heads
        self.head_dim = head_dim
        self.lightning_nh = lightning_nh
        self.lightning_nkv = lightning_nkv
        self.lightning_head_dim = lightning_head_dim
        self.max_position_embeddings = max_position_embeddings
        self.rms_norm_eps = rms_norm_eps
        self.rope_theta = rope_theta
        self.initializer_range = initializer_range
        self.mixer_types = list(mixer_types)
        self.sparse_config = sparse_config or {
            "block_size": 8,
            "topk": 2,
            "init_blocks": 1,
            "window_size": 16,
            "dense_len": 48,
        }
        self.scale_emb = scale_emb
        self.scale_depth = scale_depth
        self.dim_model_base = dim_model_base
        super().__init__(tie_word_embeddings=tie_word_embeddings, **kwargs)
