// The extension with the real server, and a stub of the editor.
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const { install } = require('./stub');

const program = process.env.HALIDOM;
const { vscode, state, documents } = install();
const extension = require('../extension');

/** The time after which a test has failed. */
const LIMIT = { timeout: 60_000 };

function document(uri, text) {
  return {
    uri: vscode.Uri.parse(uri),
    languageId: 'halidom',
    version: 1,
    fileName: uri,
    isClosed: false,
    getText: () => text,
    lineCount: text.split('\n').length,
  };
}

/** Waits for the diagnostics of a text. */
function diagnostics(uri) {
  return new Promise((resolve) => {
    const waiting = state.events.published.event((published) => {
      if (published === uri) {
        waiting.dispose();
        resolve(state.diagnostics.get(uri));
      }
    });
  });
}

test('the extension starts the server, which reports the errors of a text', LIMIT, async (t) => {
  t.after(() => extension.deactivate());
  assert.ok(program, 'HALIDOM names the program');
  state.settings['halidom.path'] = program;
  const uri = 'file:///wrong.hal';
  documents.push(document(uri, 'pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = c(x); }'));
  const found = diagnostics(uri);
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.deepStrictEqual(state.errors, []);
  const [first] = await found;
  assert.match(first.message, /there is no func or function `c` here/);
  assert.strictEqual(first.range.start.line, 0);
  const provided = state.providers.map(([name]) => name);
  for (const name of [
    'registerHoverProvider',
    'registerCompletionItemProvider',
    'registerDefinitionProvider',
    'registerReferenceProvider',
    'registerRenameProvider',
    'registerCodeLensProvider',
    'registerCodeActionsProvider',
    'registerDocumentFormattingEditProvider',
    'registerDocumentSemanticTokensProvider',
    'registerDocumentSymbolProvider',
  ]) {
    assert.ok(provided.includes(name), `${name} in ${provided}`);
  }
  assert.ok(state.commands['halidom.prove'], 'the commands of lenses exist');
});

test('a server that cannot be started is reported with the setting', LIMIT, async (t) => {
  t.after(() => extension.deactivate());
  state.settings['halidom.path'] = '/nowhere/halidom';
  documents.length = 0;
  state.errors.length = 0;
  await extension.activate({ subscriptions: [] });
  assert.ok(state.errors.some((text) => text.includes('halidom.path')), String(state.errors));
});
