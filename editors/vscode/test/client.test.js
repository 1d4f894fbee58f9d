// The extension with the real server, and a stub of the editor.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
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
  const text = 'pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = c(x); }';
  documents.push(document(uri, text));
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

/** True if a process runs. */
function runs(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('restarts at the same time leave one server, which can be ended', LIMIT, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'halidom-editor-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const started = path.join(folder, 'started');
  const script = path.join(folder, 'halidom');
  const lines = ['#!/bin/sh', `echo $$ >> '${started}'`, `exec '${program}' "$@"`, ''];
  fs.writeFileSync(script, lines.join('\n'), { mode: 0o755 });
  state.settings['halidom.path'] = script;
  documents.length = 0;
  state.errors.length = 0;
  await extension.activate({ subscriptions: [] });
  const restart = () => state.commands['halidom.restart']();
  await Promise.all([restart(), restart(), restart()]);
  const pids = fs.readFileSync(started, 'utf8').trim().split('\n').map(Number);
  assert.strictEqual(pids.length, 4);
  assert.deepStrictEqual(state.errors, []);
  assert.ok(runs(pids[3]), 'the last server runs');
  await extension.deactivate();
  while (pids.some(runs)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});
