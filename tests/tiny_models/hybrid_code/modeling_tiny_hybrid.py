"""A hybrid of block-sparse and linear attention, with the kinds and names of modules of MiniCPM-SALA.

Sparse layers (``minicpm4``): grouped queries, no positions, an output gate ``o_gate``; dense below ``dense_len``
tokens, from there on a query sees the first blocks, its window and the blocks whose mean key fits it best. Linear
layers (``lightning-attn``): a decayed state a head, rotary positions, ``q_norm``, ``k_norm``, ``o_norm`` and an
output gate ``z_proj``. How the rows are run depends on the data, which no tracer of the graph can follow.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F
from transformers import GenerationMixin, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput

from .configuration_tiny_hybrid import TinyHybridConfig


class TinyHybridRMSNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)).to(x.dtype) * self.weight


class TinyHybridMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class TinyHybridSparseAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.kv_heads, self.size = (
            config.num_attention_heads,
            config.num_key_value_heads,
            config.head_dim,
        )
        self.sparse = config.sparse_config
        self.q_proj = nn.Linear(config.hidden_size, self.heads * self.size, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, self.kv_heads * self.size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, self.kv_heads * self.size, bias=False)
        self.o_proj = nn.Linear(self.heads * self.size, config.hidden_size, bias=False)
        self.o_gate = nn.Linear(config.hidden_size, self.heads * self.size, bias=False)

    def forward(self, x):
        length = x.shape[0]
        q = self.q_proj(x).view(length, self.heads, self.size).transpose(0, 1)
        k = self.k_proj(x).view(length, self.kv_heads, self.size).transpose(0, 1)
        v = self.v_proj(x).view(length, self.kv_heads, self.size).transpose(0, 1)
        k, v = (part.repeat_interleave(self.heads // self.kv_heads, 0) for part in (k, v))
        seen = torch.ones(length, length, dtype=torch.bool, device=x.device).tril().expand(self.heads, -1, -1)
        if length >= self.sparse["dense_len"]:
            seen = seen & self._chosen(q, k)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        out = out.transpose(0, 1).reshape(length, -1)
        return self.o_proj(out * torch.sigmoid(self.o_gate(x)))

    def _chosen(self, q, k):
        """Which keys [heads, queries, keys] the block choice leaves."""
        heads, length, _ = k.shape
        size = self.sparse["block_size"]
        blocks = math.ceil(length / size)
        means = F.pad(k, (0, 0, 0, blocks * size - length)).view(heads, blocks, size, -1).mean(2)
        block_of = torch.arange(length, device=k.device) // size
        scores = (q @ means.transpose(1, 2)).masked_fill(
            torch.arange(blocks, device=k.device) > block_of[:, None], -math.inf
        )
        best = scores.topk(min(self.sparse["topk"], blocks), dim=-1).indices
        kept = torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, best, True)
        kept[..., : self.sparse["init_blocks"]] = True
        distance = torch.arange(length, device=k.device)[:, None] - torch.arange(length, device=k.device)
        return kept[..., block_of] | (distance < self.sparse["window_size"])


class TinyHybridLightningAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.size, self.theta = config.lightning_nh, config.lightning_head_dim, config.rope_theta
        width = self.heads * self.size
        self.q_proj = nn.Linear(config.hidden_size, width, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, config.lightning_nkv * self.size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, config.lightning_nkv * self.size, bias=False)
        self.o_proj = nn.Linear(width, config.hidden_size, bias=False)
        self.z_proj = nn.Linear(config.hidden_size, width, bias=False)
        self.q_norm = TinyHybridRMSNorm(self.size, config.rms_norm_eps)
        self.k_norm = TinyHybridRMSNorm(self.size, config.rms_norm_eps)
        self.o_norm = TinyHybridRMSNorm(width, config.rms_norm_eps)

    def forward(self, x):
        length = x.shape[0]
        q, k, v = (proj(x).view(length, -1, self.size) for proj in (self.q_proj, self.k_proj, self.v_proj))
        q, k = self._rotated(self.q_norm(q)), self._rotated(self.k_norm(k))
        # The state of head h fades by 2^(-h) a token; all tokens at once, as a matrix of decays.
        slopes = 2.0 ** -torch.arange(1, self.heads + 1, device=x.device)
        distance = torch.arange(length, device=x.device)[:, None] - torch.arange(length, device=x.device)
        decay = torch.exp(-slopes[:, None, None] * distance.clamp(min=0)).tril().to(x.dtype)
        scores = torch.einsum("ihd,jhd->hij", q, k) * decay / math.sqrt(self.size)
        out = torch.einsum("hij,jhd->ihd", scores, v).reshape(length, -1)
        return self.o_proj(self.o_norm(out) * torch.sigmoid(self.z_proj(x)))

    def _rotated(self, x):
        half = self.size // 2
        angles = torch.arange(x.shape[0], device=x.device)[:, None] * self.theta ** (
            -torch.arange(half, device=x.device) / half
        )
        sine, cosine = angles.sin().to(x.dtype)[:, None], angles.cos().to(x.dtype)[:, None]
        left, right = x[..., :half], x[..., half:]
        return torch.cat([left * cosine - right * sine, left * sine + right * cosine], -1)


class TinyHybridDecoderLayer(nn.Module):
    def __init__(self, config, index):
        super().__init__()
        sparse = config.mixer_types[index] == "minicpm4"
        self.self_attn = TinyHybridSparseAttention(config) if sparse else TinyHybridLightningAttention(config)
        self.mlp = TinyHybridMLP(config)
        self.input_layernorm = TinyHybridRMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = TinyHybridRMSNorm(config.hidden_size, config.rms_norm_eps)
        self.scale = config.scale_depth / math.sqrt(config.num_hidden_layers)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x)) * self.scale
        return x + self.mlp(self.post_attention_layernorm(x)) * self.scale


class TinyHybridPreTrainedModel(PreTrainedModel):
    config_class = TinyHybridConfig
    base_model_prefix = "model"
    _no_split_modules = ["TinyHybridDecoderLayer"]  # noqa: RUF012

    def _init_weights(self, module):
        if isinstance(module, nn.Linear | nn.Embedding):
            module.weight.data.normal_(0.0, self.config.initializer_range)


class TinyHybridModel(TinyHybridPreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(
            TinyHybridDecoderLayer(config, index) for index in range(config.num_hidden_layers)
        )
        self.norm = TinyHybridRMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_init()

    def get_input_embeddings(self):
        return self.embed_tokens

    def forward(self, input_ids, attention_mask=None, **_):
        x = self.embed_tokens(input_ids) * self.config.scale_emb
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        out = torch.zeros_like(x)
        # Each row without its padding, as the kernels of such models take packed rows.
        for row, real in enumerate(mask.bool()):
            kept = x[row][real]
            for layer in self.layers:
                kept = layer(kept)
            out[row, real] = self.norm(kept)
        return out


class TinyHybridForCausalLM(TinyHybridPreTrainedModel, GenerationMixin):
    def __init__(self, config):
        super().__init__(config)
        self.model = TinyHybridModel(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()

    def get_input_embeddings(self):
        return self.model.embed_tokens

    def get_output_embeddings(self):
        return self.lm_head

    def prepare_inputs_for_generation(self, input_ids, attention_mask=None, **_):
        return {"input_ids": input_ids, "attention_mask": attention_mask}

    def forward(self, input_ids, attention_mask=None, logits_to_keep=0, **_):
        hidden = self.model(input_ids, attention_mask)
        kept = slice(-logits_to_keep, None) if isinstance(logits_to_keep, int) else logits_to_keep
        width = self.config.hidden_size / self.config.dim_model_base
        return CausalLMOutput(logits=self.lm_head(hidden[:, kept] / width))
