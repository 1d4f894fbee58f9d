// The highlighting of every example: keywords, numbers, strings and comments have their scopes.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const examples = process.env.EXAMPLES;
const grammarPath = path.join(__dirname, '../syntaxes/halidom.tmLanguage.json');

async function grammar() {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () =>
      textmate.parseRawGrammar(fs.readFileSync(grammarPath, 'utf8'), grammarPath),
  });
  return registry.loadGrammar('source.halidom');
}

/** The tokens of a text by a reader of its own, with the scope that each must have. */
function* wanted(text) {
  const parts = [
    /(?<comment>\/\/.*|\/\*[^]*?\*\/)/,
    /(?<string>"[^"\n]*")/,
    /(?<number>0x\w+|0b\w+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)/,
    /(?<name>[\p{L}_][\p{L}\p{N}_$]*)/u,
  ];
  const token = new RegExp(parts.map((part) => part.source).join('|'), 'gu');
  const items = 'pipeline schedule schedule_fn fn func let require for in where';
  const types = 'fast_math buffer u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 bool int';
  const words = {
    keyword: items.split(' '),
    storage: types.split(' '),
    constant: ['true', 'false'],
  };
  for (const found of text.matchAll(token)) {
    const { comment, string, number, name } = found.groups;
    const at = found.index;
    if (comment) yield [at, comment, 'comment'];
    if (string) yield [at, string, 'string'];
    if (number) yield [at, number, 'constant.numeric'];
    if (name) {
      const isDirective = text[at - 1] === '.' && text[at - 2] !== '.';
      const kind = Object.keys(words).find((kind) => words[kind].includes(name));
      const isCalled = text[at + name.length] === '(';
      const scope = isDirective && isCalled ? 'support.function.directive' : kind;
      if (scope) yield [at, name, scope];
    }
  }
}

/** The scopes of each character of a text. */
function scopes(rules, text) {
  const all = [];
  let state = textmate.INITIAL;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = rules.tokenizeLine(line, state);
    state = ruleStack;
    for (const { startIndex, endIndex, scopes: names } of tokens) {
      for (let at = startIndex; at < Math.min(endIndex, line.length); at += 1) {
        all.push(names[names.length - 1]);
      }
    }
    all.push('line break');
  }
  return all;
}

test('every token of every example has its scope', async () => {
  const rules = await grammar();
  const folders = ['', 'applications', 'table1'].map((folder) => path.join(examples, folder));
  const files = folders.flatMap((folder) =>
    fs
      .readdirSync(folder)
      .filter((name) => name.endsWith('.hal'))
      .map((name) => path.join(folder, name)),
  );
  assert.ok(files.length > 35, `${files.length} examples`);
  const extra =
    '/* two\n lines */ func f(x) = 0x1f + 0b1_0 + 1.5e-3 + 2e5; // "no string" func\n' +
    'require a, "for // in";';
  const texts = files.map((file) => [file, fs.readFileSync(file, 'utf8')]);
  texts.push(['extra', extra]);
  let count = 0;
  for (const [file, text] of texts) {
    const found = scopes(rules, text);
    for (const [at, word, scope] of wanted(text)) {
      for (let offset = 0; offset < word.length; offset += 1) {
        if (word[offset] === '\n') continue;
        const got = found[at + offset];
        const line = text.slice(0, at).split('\n').length;
        assert.ok(got.startsWith(scope), `${file}:${line}: ${word} has ${got}, not ${scope}`);
      }
      count += 1;
    }
  }
  console.log(`${count} tokens of ${texts.length} texts`);
});
