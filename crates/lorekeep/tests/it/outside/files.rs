//! Files through the real server.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Stdio1, lorekeep, reply};

/// The smallest picture there is: one transparent pixel.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
    \0\0\0\rIDATx\x9cc\xf8\xff\xff?\0\x05\xfe\x02\xfe\xa7\x35\x81\x84\0\0\0\0IEND\xaeB`\x82";

fn start(dir: &Path, work: &Path, options: &[&str], capabilities: Value) -> Stdio1 {
    let mut command = lorekeep(dir);
    command.args(["serve", "--toolsets", "files"]).args(options).current_dir(work);
    let mut client = Stdio1::start_command(command);
    client.open(capabilities);
    client
}

#[test]
fn a_file_is_written_edited_and_read_and_nothing_outside_is() {
    let dir = tempfile::tempdir().unwrap();
    let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
    std::fs::create_dir_all(&root).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret"), "s3cret").unwrap();
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    let root_text = root.display().to_string();
    let mut client = start(&dir.path().join("store"), &outside, &["--root", &root_text], json!({}));
    let wrote =
        client.call("grz_write_file", json!({"file_path": "a/b.txt", "content": "one\ntwo\n"}));
    assert_eq!(wrote.value["bytes"], 8, "{:?}", wrote.value);
    let edit = json!({"file_path": "a/b.txt", "old_string": "two", "new_string": "2"});
    assert_eq!(client.call("grz_edit_file", edit).value["replacements"], 1);
    let read = client.call("grz_read_file", json!({"file_path": "a/b.txt", "offset": 1}));
    assert_eq!(read.value["content"], "2\t2", "{:?}", read.value);
    assert_eq!(std::fs::read_to_string(root.join("a/b.txt")).unwrap(), "one\n2\n");
    let absolute = outside.join("secret").display().to_string();
    for path in ["link/secret", "../outside/secret", &absolute, "/proc/self/environ"] {
        for (tool, mut arguments) in [
            ("grz_read_file", json!({})),
            ("grz_write_file", json!({"content": "x"})),
            ("grz_edit_file", json!({"old_string": "s3cret", "new_string": "x"})),
        ] {
            arguments["file_path"] = json!(path);
            let refused = client.call(tool, arguments);
            assert!(refused.is_error, "{tool} {path}");
            assert!(!refused.value.to_string().contains("s3cret"), "{tool} {path}");
        }
    }
    assert_eq!(std::fs::read_to_string(outside.join("secret")).unwrap(), "s3cret");
    let near = client.call("grz_read_file", json!({"file_path": "a/b.tx"}));
    let text = near.value["error"].as_str().unwrap();
    assert!(text.starts_with("File not found: a/b.tx") && text.contains("b.txt"), "{text}");
}

#[test]
fn a_picture_comes_as_one() {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir_all(&work).unwrap();
    std::fs::write(work.join("dot.png"), PNG).unwrap();
    std::fs::write(work.join("doc.pdf"), b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n").unwrap();
    let mut client = start(&dir.path().join("store"), &work, &[], json!({}));
    let params = |path| json!({"name": "grz_read_file", "arguments": {"file_path": path}});
    let answer = client.request("tools/call", &params("dot.png"));
    assert!(!reply(&answer).is_error, "{answer}");
    let picture = &answer["result"]["content"][1];
    assert_eq!((&picture["type"], &picture["mimeType"]), (&json!("image"), &json!("image/png")));
    assert!(picture["data"].as_str().unwrap().starts_with("iVBORw0KGgo"), "{picture}");
    let answer = client.request("tools/call", &params("doc.pdf"));
    let document = &answer["result"]["content"][1];
    assert_eq!(document["type"], "resource", "{answer}");
    assert_eq!(document["resource"]["mimeType"], "application/pdf");
    assert!(document["resource"]["uri"].as_str().unwrap().ends_with("/doc.pdf"), "{document}");
}

#[test]
fn the_folders_the_client_works_in_are_its_roots() {
    let dir = tempfile::tempdir().unwrap();
    let (elsewhere, project) = (dir.path().join("elsewhere"), dir.path().join("pro ject"));
    for folder in [&elsewhere, &project] {
        std::fs::create_dir_all(folder).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap();
        std::fs::write(folder.join("where"), name).unwrap();
    }
    let store = dir.path().join("store");
    let mut client = start(&store, &elsewhere, &[], json!({"roots": {}}));
    let read = json!({"name": "grz_read_file", "arguments": {"file_path": "where"}});
    let id = client.ask("tools/call", &read);
    let asked = client.receive().unwrap();
    assert_eq!(asked["method"], "roots/list");
    let uri = format!("file://{}/pro%20ject", dir.path().display());
    let roots = json!({"roots": [{"uri": uri}]});
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}));
    let answer = client.receive().unwrap();
    assert_eq!(answer["id"], id);
    assert_eq!(reply(&answer).value["content"], "1\tpro ject");
    let other = elsewhere.join("where").display().to_string();
    assert!(client.call("grz_read_file", json!({"file_path": other})).is_error);
    let mut client = start(&store, &elsewhere, &[], json!({}));
    let here = client.call("grz_read_file", json!({"file_path": "where"}));
    assert_eq!(here.value["content"], "1\telsewhere", "else the working directory");
}
