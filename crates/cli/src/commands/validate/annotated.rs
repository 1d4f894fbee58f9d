//! The origin of the prophecies of a verdict on stock Halide, and the artifact that the verdict is
//! about.

use halidom_driver::stock::{Annotations, BesideAnnotated, Judged, Prophecies};
use serde_json::json;

use crate::args::AnnotationsArg;
use crate::output::Output;

/// Converts the option that selects annotations.
pub(crate) fn wanted(given: Option<AnnotationsArg>) -> Annotations {
    match given {
        Some(AnnotationsArg::Never) => Annotations::Never,
        Some(AnnotationsArg::Always) => Annotations::Always,
        Some(AnnotationsArg::Fallback) | None => Annotations::Fallback,
    }
}

/// Reports the origin of the prophecies; every verdict is about the plain artifact.
pub(super) fn show(judged: &Judged, output: &mut Output<'_>) {
    let mut object = match &judged.prophecies {
        Prophecies::Inferred => {
            output
                .line("  prophecies: inferred on the plain artifact, of which the verdict speaks");
            json!({ "source": "inferred" })
        }
        Prophecies::Injected { reads, is_same, carried } => {
            let what = if *reads { "values and reads" } else { "values" };
            let erased = if *is_same { "the plain artifact" } else { "another one" };
            output.line(&format!(
                "  prophecies: injected annotations of {what}, carried over to the plain artifact, \
                    of which the verdict speaks"
            ));
            output.line(&format!("    {carried}; without them the annotated artifact is {erased}"));
            json!({
                "source": "injected",
                "annotated": what,
                "erased_is_plain": is_same,
                "carried": carried,
            })
        }
    };
    object["artifact"] = "plain".into();
    let beside = match &judged.beside {
        None => None,
        Some(BesideAnnotated::Not(reason)) => Some(("unread", format!("there are none: {reason}"))),
        Some(BesideAnnotated::Nothing) => {
            Some(("nothing", "they say nothing that is not inferred".to_owned()))
        }
        Some(BesideAnnotated::Proved) => Some((
            "proved",
            "the annotated artifact is proved, which says nothing of the plain one".to_owned(),
        )),
        Some(BesideAnnotated::Unproved) => {
            Some(("unproved", "with them it is not proved either".to_owned()))
        }
    };
    if let Some((word, line)) = beside {
        output.line(&format!("  annotations: {line}"));
        object["annotations"] = json!({ "came_of": word, "said": line });
    }
    output.set("prophecies", object);
}
