//! Tests that every example parses, is well formed, and has its schedules.

use crate::common::{files, parse_valid};

#[test]
fn every_example_has_schedules() {
    let mut examples = files("examples", "hal");
    examples.extend(files("examples/applications", "hal"));
    let names: Vec<&str> = examples.iter().map(|(name, _)| name.as_str()).collect();
    for wanted in [
        "bilateral_grid",
        "blur",
        "box_blur",
        "camera_pipe",
        "demosaic",
        "depthwise_conv",
        "edges",
        "equalize",
        "gemm",
        "harris",
        "histogram",
        "iir_blur",
        "integral",
        "interpolate",
        "lens_blur",
        "local_laplacian",
        "matrix_vector",
        "max_filter",
        "median",
        "nl_means",
        "opening",
        "quantized_matmul",
        "resize",
        "stencil_chain",
        "stereo",
        "unsharp",
    ] {
        assert!(names.contains(&format!("{wanted}.hal").as_str()), "{wanted} is missing");
    }
    for (name, text) in &examples {
        let module = parse_valid(name, text);
        for pipeline in &module.pipelines {
            assert!(!pipeline.schedules.is_empty(), "{name} has no schedule");
            assert!(pipeline.schedules.iter().all(|named| {
                named.spans.len() >= named.schedule.directives.len()
                    && !named.schedule.directives.is_empty()
            }));
        }
    }
}
