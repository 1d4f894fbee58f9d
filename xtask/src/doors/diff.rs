//! `halidom diff` on what two releases of Halide make of the same programs.

use super::{Site, make_folder, package, site};
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root};
use crate::{setup, table};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Generators of Halide's apps and tests: each with its source file.
const GENERATORS: &[(&str, &str)] = &[
    ("apps/blur/halide_blur_generator.cpp", "halide_blur"),
    ("apps/c_backend/pipeline_generator.cpp", "pipeline"),
    ("apps/compositing/compositing_generator.cpp", "compositing"),
    ("apps/conv_layer/conv_layer_generator.cpp", "conv_layer"),
    (
        "apps/depthwise_separable_conv/depthwise_separable_conv_generator.cpp",
        "depthwise_separable_conv",
    ),
    ("apps/harris/harris_generator.cpp", "harris"),
    ("apps/hist/hist_generator.cpp", "hist"),
    ("apps/iir_blur/iir_blur_generator.cpp", "iir_blur"),
    ("apps/stencil_chain/stencil_chain_generator.cpp", "stencil_chain"),
    ("apps/unsharp/unsharp_generator.cpp", "unsharp"),
    ("python_bindings/test/generators/addconstantcpp_generator.cpp", "addconstantcpp"),
    ("python_bindings/test/generators/bitcpp_generator.cpp", "bitcpp"),
    ("python_bindings/test/generators/simplecpp_generator.cpp", "simplecpp"),
    ("test/generator/alias_generator.cpp", "alias"),
    ("test/generator/all_type_names_generator.cpp", "all_type_names"),
    ("test/generator/argvcall_generator.cpp", "argvcall"),
    ("test/generator/autograd_generator.cpp", "autograd"),
    ("test/generator/bit_operations_generator.cpp", "bit_operations"),
    ("test/generator/blur2x2_generator.cpp", "blur2x2"),
    ("test/generator/can_use_target_generator.cpp", "can_use_target"),
    ("test/generator/cleanup_on_error_generator.cpp", "cleanup_on_error"),
    ("test/generator/embed_image_generator.cpp", "embed_image"),
    ("test/generator/error_codes_generator.cpp", "error_codes"),
    ("test/generator/example_generator.cpp", "example"),
    ("test/generator/extern_output_generator.cpp", "extern_output"),
    ("test/generator/image_from_array_generator.cpp", "image_from_array"),
    ("test/generator/mandelbrot_generator.cpp", "mandelbrot"),
    ("test/generator/output_assign_generator.cpp", "output_assign"),
    ("test/generator/rdom_input_generator.cpp", "rdom_input"),
    ("test/generator/shuffler_generator.cpp", "shuffler"),
    ("test/generator/templated_generator.cpp", "templated"),
    ("test/generator/variable_num_threads_generator.cpp", "variable_num_threads"),
];

/// The least number of pairs that are proved.
const PROVED: usize = 100;

/// A subject: its name, and the words that name its two compiles.
struct Subject {
    name: String,
    words: Vec<PathBuf>,
    options: Vec<String>,
}

pub(super) fn run() -> Result<(), Error> {
    let Some(site) = site("diff")? else { return Ok(()) };
    let old = setup::ensure_old_halide()?;
    let mut subjects = scripts()?;
    let packages = [("old", package(&old)?), ("new", site.package.clone())];
    for (source, name) in GENERATORS {
        let mut words = Vec::new();
        for (side, package) in &packages {
            words.push(compiled(&site, source, side, package)?);
        }
        let options = vec!["-g".to_owned(), (*name).to_owned()];
        subjects.push(Subject { name: (*name).to_owned(), words, options });
    }
    let halidom = process::halidom()?;
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    let mut counts = [("proved", 0), ("refuted", 0), ("unknown", 0), ("refused", 0)];
    for subject in &subjects {
        let mut command = program(&halidom);
        command.arg("diff").args(&subject.words).args(&subject.options);
        command.arg("--old-python").arg(&old).arg("--json");
        command.env("HALIDOM_PYTHON", root().join(".venv/bin/python"));
        let output = capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let json = Json::parse(&text).unwrap_or(Json::Null);
        let word = json.get("verdict").and_then(Json::text).unwrap_or("refused");
        let sides = ["old", "new"].map(|side| {
            let side = json.get(side).and_then(|side| side.get("verdict"));
            side.and_then(Json::text).unwrap_or("").to_owned()
        });
        for (name, count) in &mut counts {
            *count += usize::from(*name == word);
        }
        if word == "refuted" {
            wrong.push(format!("{}: the releases differ: {text}", subject.name));
        }
        if word != "proved" {
            let mut row = vec![subject.name.clone(), word.to_owned()];
            row.extend(sides);
            rows.push(row);
        }
    }
    print!("{}", table::layout(&["not proved", "verdict", "19.0.0", "21.0.0"], &rows));
    let counted: Vec<String> =
        counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    println!("{} pairs: {}", subjects.len(), counted.join(", "));
    if counts[0].1 < PROVED {
        wrong.push(format!("{} pairs are proved, expected at least {PROVED}", counts[0].1));
    }
    if wrong.is_empty() { Ok(()) } else { Err(Error::Answers(wrong)) }
}

/// The project's own scripts, in the order of their names.
fn scripts() -> Result<Vec<Subject>, Error> {
    let folder = root().join("tests/halide/pipelines");
    let failed = |cause| Error::File { path: folder.clone(), cause };
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "py") {
            paths.push(path);
        }
    }
    paths.sort();
    let subject = |path: PathBuf| Subject {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        words: vec![path],
        options: Vec::new(),
    };
    Ok(paths.into_iter().map(subject).collect())
}

/// The executable of a generator, compiled against a release; kept between runs.
fn compiled(site: &Site, source: &str, side: &str, package: &Path) -> Result<PathBuf, Error> {
    let source = site.halide.join(source);
    let folder = site.folder.join(side);
    let made = folder.join(source.file_stem().unwrap_or_default());
    if made.is_file() {
        return Ok(made);
    }
    make_folder(&folder)?;
    let libraries = package.join("lib64");
    let mut command = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "g++".into()));
    command.args(["-std=c++17", "-O0", "-w", "-fno-rtti", "-I"]).arg(package.join("include"));
    for included in [source.parent(), source.parent().and_then(Path::parent)].into_iter().flatten()
    {
        command.arg("-I").arg(included);
    }
    command.arg("-I").arg(site.halide.join("tools")).arg(&source);
    command.arg("-Wl,--whole-archive").arg(libraries.join("libHalide_GenGen.a"));
    command.args(["-Wl,--no-whole-archive", "-rdynamic", "-L"]).arg(&libraries);
    command.arg(format!("-Wl,-rpath,{}", libraries.display()));
    command.args(["-lHalide", "-ldl", "-lpthread", "-o"]).arg(&made);
    process::run(&mut command)?;
    Ok(made)
}
