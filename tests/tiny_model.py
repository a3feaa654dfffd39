"""Makes a tiny ONNX embedding model in a folder: `python tests/tiny_model.py FOLDER`, where `onnx` and `tokenizers` are
installed. Each known word has a vector of its own; a text's is their mean."""

import json
import sys
from pathlib import Path

WORDS = ["[PAD]", "[UNK]", "marea", "puerto", "faro", "barco", "tide", "lamp"]
DIMENSIONS = 8
INPUTS = ("input_ids", "attention_mask")


def make_tiny_model(folder: Path) -> None:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    table = numpy_helper.from_array(np.eye(len(WORDS), DIMENSIONS, dtype=np.float32) + 0.01, "table")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "s", DIMENSIONS])],
        [table],
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    said = {
        "config.json": {"pad_token_id": 0},
        "tokenizer_config.json": {"model_max_length": 128, "pad_token": "[PAD]"},
        "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]"},
    }
    for name, content in said.items():
        (folder / name).write_text(json.dumps(content))


if __name__ == "__main__":
    make_tiny_model(Path(sys.argv[1]))
