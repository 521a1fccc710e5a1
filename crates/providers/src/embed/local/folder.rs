//! A folder with a model, as Hugging Face lays it out: which files count, and what they say.
//!
//! Nothing large is read here but for the digest.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::arithmetic::Activation;
use super::bert::{Bert, Pooling, Shape};
use super::onnx::Onnx;
use super::safetensors::Safetensors;
use super::tokens::{BERT_UNCASED, Folding, Tokens};

/// Where weights may be, those that are preferred first.
const WEIGHTS: [&str; 8] = [
    "model.safetensors",
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "model_int8.onnx",
    "onnx/model_int8.onnx",
    "model_optimized.onnx",
];

/// No more tokens of a text count, if the model does not say how many.
const TOKENS_DEFAULT: usize = 256;

/// No more tokens of a text count, whatever the model says.
const TOKENS_MAX: usize = 512;

/// No file that says something about a model is longer.
const SAID_MAX: u64 = 64 * 1024 * 1024;

/// What is read of a folder before its weights are.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) weights: PathBuf,
    /// The vocabulary; none means the one that BERT models share.
    vocabulary: Option<PathBuf>,
    pub(super) settings: Settings,
}

/// What decides about the vectors besides the weights and the vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    /// None if nobody says: then the width decides.
    heads: Option<usize>,
    epsilon: f32,
    activation: Activation,
    pooling: Pooling,
    folding: Folding,
    /// How many tokens of a text count.
    pub(super) tokens: usize,
    /// What is put before a text that finds.
    pub(super) before_query: String,
    /// What is put before a text that is to be found.
    pub(super) before_passage: String,
}

impl Folder {
    /// Looks at a folder. An error says what is missing.
    pub(super) fn read(dir: &Path) -> Result<Self, String> {
        let shown = dir.display();
        if !dir.is_dir() {
            return Err(format!("{shown} is not a folder; give the folder that holds the model"));
        }
        let weights = weights(dir).ok_or_else(|| {
            format!(
                "{shown} holds no model: it should have model.safetensors or model.onnx, and \
                 beside it config.json and tokenizer.json or vocab.txt"
            )
        })?;
        let vocabulary = ["tokenizer.json", "vocab.txt"]
            .map(|name| dir.join(name))
            .into_iter()
            .find(|path| path.is_file());
        let settings = Settings::read(dir).map_err(|error| format!("{shown}: {error}"))?;
        Ok(Self { weights, vocabulary, settings })
    }

    /// What tells this model from any other, as 12 hexadecimal digits: its weights, its tokens and
    /// what else decides about its vectors.
    pub(super) fn digest(&self) -> Result<String, String> {
        let mut hasher = Sha256::new();
        feed(&mut hasher, &self.weights)?;
        match &self.vocabulary {
            Some(path) => feed(&mut hasher, path)?,
            None => hasher.update(BERT_UNCASED),
        }
        hasher.update(format!("{:?}", self.settings));
        Ok(model::hex(&hasher.finalize()[..6]))
    }

    /// Reads the tokens.
    pub(super) fn tokens(&self) -> Result<Tokens, String> {
        let Some(path) = &self.vocabulary else {
            return Tokens::from_lines(BERT_UNCASED, self.settings.folding);
        };
        let text = text(path)?;
        let tokens = if path.extension().is_some_and(|extension| extension == "json") {
            Tokens::from_json(&text)
        } else {
            Tokens::from_lines(&text, self.settings.folding)
        };
        tokens.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Reads the weights.
    pub(super) fn bert(&self, tokens: &Tokens) -> Result<Bert, String> {
        let path = &self.weights;
        let wrong = |error: String| format!("{}: {error}", path.display());
        let is_onnx = path.extension().is_some_and(|extension| extension == "onnx");
        let bert = if is_onnx {
            Onnx::open(path).and_then(|mut weights| self.built(&mut weights))
        } else {
            Safetensors::open(path).and_then(|mut weights| self.built(&mut weights))
        };
        let bert = bert.map_err(wrong)?;
        let fits = if self.vocabulary.is_some() {
            (tokens.highest() as usize) < bert.tokens()
        } else {
            tokens.highest() as usize + 1 == bert.tokens()
        };
        if !fits {
            return Err(wrong(format!(
                "its table has {} words, which does not fit the vocabulary; put the model's own \
                 tokenizer.json or vocab.txt beside it",
                bert.tokens()
            )));
        }
        Ok(bert)
    }

    fn built(&self, weights: &mut impl super::bert::Weights) -> Result<Bert, String> {
        let Settings { heads, epsilon, activation, pooling, .. } = self.settings;
        let heads = match heads {
            Some(heads) => heads,
            None => match weights.vector("embeddings.LayerNorm.bias")?.len() {
                384 | 768 => 12,
                1024 => 16,
                width => {
                    return Err(format!(
                        "a width of {width} does not tell the number of heads; put the model's \
                         config.json beside it"
                    ));
                }
            },
        };
        Bert::read(weights, Shape { heads, epsilon, activation, pooling })
    }
}

/// The file with the weights; one with another name counts if it is the only one.
pub(super) fn weights(dir: &Path) -> Option<PathBuf> {
    let named = WEIGHTS.iter().map(|name| dir.join(name)).find(|path| path.is_file());
    named.or_else(|| {
        let folders = [dir.to_owned(), dir.join("onnx")].into_iter();
        let mut onnx = folders
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "onnx"));
        onnx.next().filter(|_| onnx.next().is_none())
    })
}

impl Settings {
    fn read(dir: &Path) -> Result<Self, String> {
        let config = json(&dir.join("config.json"))?;
        if let Some(kind) = config["model_type"].as_str().filter(|kind| *kind != "bert") {
            return Err(format!(
                "its config.json says it is a model of the kind {kind}; only BERT models can be \
                 read (all-MiniLM, bge, gte, e5 …)"
            ));
        }
        let positions = config["position_embedding_type"].as_str().unwrap_or("absolute");
        if positions != "absolute" {
            return Err(format!("its positions are {positions}; only absolute ones can be read"));
        }
        let activation = config["hidden_act"].as_str().unwrap_or("gelu");
        let activation = Activation::named(activation)
            .ok_or_else(|| format!("its activation {activation} is not known"))?;
        let tokenizer = json(&dir.join("tokenizer_config.json"))?;
        let lowers = tokenizer["do_lower_case"].as_bool().unwrap_or(true);
        let strips = tokenizer["strip_accents"].as_bool().unwrap_or(lowers);
        let sentences = json(&dir.join("sentence_bert_config.json"))?;
        let length = |value: &Value| value.as_f64().filter(|count| *count >= 3.0 && *count < 1e6);
        let tokens = length(&sentences["max_seq_length"])
            .or_else(|| length(&tokenizer["model_max_length"]))
            .map_or(TOKENS_DEFAULT, |count| count as usize);
        let most = length(&config["max_position_embeddings"]).map_or(TOKENS_MAX, |n| n as usize);
        let prompts = &json(&dir.join("config_sentence_transformers.json"))?["prompts"];
        let prompt = |names: &[&str]| {
            let found = names.iter().find_map(|name| prompts[*name].as_str());
            found.unwrap_or_default().to_owned()
        };
        Ok(Self {
            heads: config["num_attention_heads"].as_u64().and_then(|n| usize::try_from(n).ok()),
            epsilon: config["layer_norm_eps"].as_f64().unwrap_or(1e-12) as f32,
            activation,
            pooling: pooling(dir, &config)?,
            folding: Folding { lowers, strips },
            tokens: tokens.min(most).min(TOKENS_MAX),
            before_query: prompt(&["query", "search_query"]),
            before_passage: prompt(&["passage", "document", "search_document"]),
        })
    }
}

/// What the model says, or else what those of its family do.
fn pooling(dir: &Path, config: &Value) -> Result<Pooling, String> {
    let said = json(&dir.join("1_Pooling/config.json"))?;
    let is_set = |name: &str| said[format!("pooling_mode_{name}")] == true;
    match (is_set("cls_token"), is_set("mean_tokens")) {
        (true, false) => Ok(Pooling::First),
        (false, true) => Ok(Pooling::Mean),
        _ if !said.is_null() => {
            Err("its 1_Pooling/config.json asks for more than the mean or the first token"
                .to_owned())
        }
        _ => {
            let name = config["_name_or_path"].as_str().unwrap_or_default();
            let folder = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_bge = [name, folder].iter().any(|name| name.to_lowercase().contains("bge"));
            Ok(if is_bge { Pooling::First } else { Pooling::Mean })
        }
    }
}

fn text(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(SAID_MAX).read_to_string(&mut text));
    read.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text)
}

/// What a file says; nothing if it does not exist.
fn json(path: &Path) -> Result<Value, String> {
    if !path.exists() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&text(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

fn feed(hasher: &mut Sha256, path: &Path) -> Result<(), String> {
    let read = || -> io::Result<()> {
        let mut file = File::open(path)?;
        hasher.update(file.metadata()?.len().to_le_bytes());
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(()),
                count => hasher.update(&buffer[..count]),
            }
        }
    };
    let mut read = read;
    read().map_err(|error| format!("{}: {error}", path.display()))
}
