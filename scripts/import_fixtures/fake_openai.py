"""A server on loopback that answers OpenAI's embeddings with hashes of the words: no model, no key, always the same."""
import hashlib
import http.server
import json
import threading

DIMENSIONS = 64


def embed(text):
    vector = [0.0] * DIMENSIONS
    for word in str(text).lower().split():
        digest = hashlib.sha256(word.encode()).digest()
        vector[digest[0] % DIMENSIONS] += 1.0 if digest[1] % 2 else -1.0
    length = sum(value * value for value in vector) ** 0.5 or 1.0
    return [value / length for value in vector]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        data = [{"object": "embedding", "index": n, "embedding": embed(text)} for n, text in enumerate(texts)]
        body = json.dumps({"object": "list", "model": "fake", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def start():
    """The address of the server; it ends with the process."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
