//! `halidom doctor`.

use halidom_driver::doctor::{Finding, Need, examine};
use serde_json::{Value, json};

use crate::output::{Ended, Output};

pub(crate) fn run(output: &mut Output<'_>) -> Ended {
    let findings = examine();
    for finding in &findings {
        match (&finding.found, finding.need) {
            (Some(found), _) => output.line(&format!("found    {:<20} {found}", finding.name)),
            (None, Need::Required) => output.line(&format!(
                "MISSING  {:<20} {}: {}",
                finding.name, finding.purpose, finding.remedy
            )),
            (None, Need::Optional) => output.line(&format!(
                "absent   {:<20} {}: {}",
                finding.name, finding.purpose, finding.remedy
            )),
        }
    }
    let values: Vec<Value> = findings
        .iter()
        .map(|Finding { name, found, need, remedy, .. }| {
            let required = *need == Need::Required;
            json!({"name": name, "found": found, "required": required, "remedy": remedy})
        })
        .collect();
    output.set("findings", values);
    let missing =
        findings.iter().any(|finding| finding.found.is_none() && finding.need == Need::Required);
    if missing { Ended::Lacking } else { Ended::Done }
}
