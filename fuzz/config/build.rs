//! Shows what the configuration shows to those who try it, also where cargo-fuzz does not compile it.

fn main() {
    println!("cargo::rustc-cfg=fuzzing");
}
