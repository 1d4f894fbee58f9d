//! The page: one text with its style and its scripts.

use crate::http::{Answer, Status};
use crate::token::Token;

const PAGE: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/studio.css");
/// The scripts, in the order in which they use one another.
const SCRIPTS: [&str; 5] = [
    include_str!("../page/elements.js"),
    include_str!("../page/editor.js"),
    include_str!("../page/pictures.js"),
    include_str!("../page/verdict.js"),
    include_str!("../page/studio.js"),
];

/// Makes the page with a new nonce. It contains neither the token nor any part of the file.
pub(crate) fn page() -> Answer {
    let Ok(nonce) = Token::new() else { return Answer::from(Status::BadRequest) };
    let nonce = nonce.text();
    let style = format!("<style nonce=\"{nonce}\">\n{STYLE}</style>");
    let scripts = SCRIPTS.map(|text| format!("<script nonce=\"{nonce}\">\n{text}</script>\n"));
    let body =
        PAGE.replace("<!-- style -->", &style).replace("<!-- scripts -->", &scripts.concat());
    let (kind, nonce) = ("text/html; charset=utf-8", Some(nonce.to_owned()));
    Answer { status: Status::Ok, kind, body, nonce }
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn the_page_names_no_other_place_and_inserts_no_markup() {
        let page = page();
        assert!(!page.body.contains("<!-- s"), "all parts are filled in");
        for foreign in ["http:", "https:", "//cdn", "src=", "href=", "url(", "@import"] {
            assert!(!page.body.contains(foreign), "{foreign}");
        }
        for unsafe_way in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "document.write"]
        {
            assert!(!page.body.contains(unsafe_way), "{unsafe_way}");
        }
        let nonce = page.nonce.expect("a page has a nonce");
        assert_eq!(page.body.matches(&format!("nonce=\"{nonce}\"")).count(), 6);
    }
}
