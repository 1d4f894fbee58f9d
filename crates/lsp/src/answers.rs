//! Answers that may take long, from a thread of their own: hovers, completions and renamings check
//! schedules. A change of the text makes the questions about it stale.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Weak;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use halidom_base::{IndexMap, stack};
use lsp_server::RequestId;
use lsp_types::{RenameParams, TextDocumentIdentifier, TextDocumentPositionParams};

use crate::answer::{Answer, modified};
use crate::document::{Document, is_gone};
use crate::encoding::Encoding;
use crate::events::{Answered, Event};
use crate::verdicts::{Named, Proof};
use crate::{completion, hover, rename};

/// A request whose answer may take long.
pub(crate) enum Asked {
    Hover(TextDocumentPositionParams),
    Completion(TextDocumentPositionParams),
    Rename(RenameParams),
}

impl Asked {
    /// The text that it is about.
    pub(crate) fn document(&self) -> &TextDocumentIdentifier {
        match self {
            Self::Hover(place) | Self::Completion(place) => &place.text_document,
            Self::Rename(params) => &params.text_document_position.text_document,
        }
    }

    fn answer(self, document: &mut Document, is_stale: &dyn Fn() -> bool) -> Answer {
        let offset = |document: &Document, place: TextDocumentPositionParams| {
            document.lines.offset(document.text(), place.position)
        };
        match self {
            Self::Hover(place) => {
                let offset = offset(document, place);
                Ok(hover::hover(document, offset, is_stale))
            }
            Self::Completion(place) => {
                let offset = offset(document, place);
                Ok(completion::complete(document, offset, is_stale))
            }
            Self::Rename(params) => rename::rename(document, params, is_stale),
        }
    }
}

/// A request with the text that it is about.
pub(crate) struct Question {
    pub(crate) id: RequestId,
    pub(crate) asked: Asked,
    pub(crate) uri: String,
    pub(crate) text: String,
    pub(crate) encoding: Encoding,
    pub(crate) proofs: IndexMap<Named, Proof>,
    /// The life of the text's document.
    pub(crate) life: Weak<()>,
}

/// Starts the thread that answers; it ends with its questions.
pub(crate) fn start(questions: Receiver<Question>, events: Sender<Event>) {
    thread::spawn(move || stack::whole(|| work(&questions, &events)));
}

fn work(questions: &Receiver<Question>, events: &Sender<Event>) {
    // The last text, as most questions follow others about the same one.
    let mut last: Option<(Weak<()>, Document)> = None;
    while let Ok(question) = questions.recv() {
        let Question { id, asked, uri, text, encoding, proofs, life } = question;
        let is_stale = || is_gone(&life);
        let known = last.take().filter(|(of, _)| of.ptr_eq(&life));
        let answered = catch_unwind(AssertUnwindSafe(|| {
            if is_stale() {
                return (known, modified());
            }
            let (_, mut document) = known
                .unwrap_or_else(|| (Weak::clone(&life), Document::new(uri, 0, &text, encoding)));
            document.proofs = proofs;
            let answer = asked.answer(&mut document, &is_stale);
            (Some((Weak::clone(&life), document)), answer)
        }));
        let answer = answered.ok().map(|(document, answer)| {
            last = document;
            answer
        });
        if events.send(Event::Answered(Answered { id, answer, life })).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Weak};
    use std::time::Duration;

    use lsp_server::ErrorCode;
    use serde_json::{Value, json};

    use super::{Asked, Encoding, IndexMap, Question, start};
    use crate::answer::Answer;
    use crate::events::{Answered, Event};

    const TEXT: &str = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = a(x); }";

    #[test]
    fn questions_about_an_old_text_are_refused() {
        let (questions, asked) = channel();
        let (events, received) = channel();
        start(asked, events);
        let answer = |life: Weak<()>| -> Option<Answer> {
            let place = json!({"line": 0, "character": 9});
            let place = json!({"textDocument": {"uri": "file:///a.hal"}, "position": place});
            let question = Question {
                id: 1.into(),
                asked: Asked::Hover(serde_json::from_value(place).expect("a place")),
                uri: "file:///a.hal".to_owned(),
                text: TEXT.to_owned(),
                encoding: Encoding::default(),
                proofs: IndexMap::default(),
                life,
            };
            assert!(questions.send(question).is_ok());
            let event = received.recv_timeout(Duration::from_mins(1)).expect("an answer");
            let Event::Answered(Answered { answer, .. }) = event else { panic!("no answer") };
            answer
        };
        let life = Arc::new(());
        let told =
            |answer: Option<Answer>| -> Value { answer.expect("no panic").expect("a hover") };
        for _ in 0..2 {
            let found = told(answer(Arc::downgrade(&life)));
            let value = found["contents"]["value"].as_str().unwrap_or_default();
            assert!(value.contains("pipeline p"), "{found}");
        }
        let old = Arc::downgrade(&life);
        drop(life);
        let refused = answer(old).expect("no panic").expect_err("the text is gone");
        assert_eq!(refused.0 as i32, ErrorCode::ContentModified as i32);
    }
}
