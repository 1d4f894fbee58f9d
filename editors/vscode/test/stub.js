// A stub of the module `vscode`, which exists only within the editor. It has what the extension and
// `vscode-languageclient` use, and records what they do.
'use strict';

const Module = require('node:module');

class Disposable {
  constructor(end) {
    this.end = end;
  }
  static from(...parts) {
    return new Disposable(() => parts.forEach((part) => part.dispose()));
  }
  dispose() {
    this.end?.();
  }
}

class Emitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self ? listener.bind(self) : listener;
      this.listeners.add(bound);
      return new Disposable(() => this.listeners.delete(bound));
    };
  }
  async fire(value) {
    for (const listener of [...this.listeners]) {
      await listener(value);
    }
  }
  dispose() {
    this.listeners.clear();
  }
}

class Position {
  constructor(line, character) {
    this.line = line;
    this.character = character;
  }
}

class Range {
  constructor(start, startCharacter, end, endCharacter) {
    this.start = start instanceof Position ? start : new Position(start, startCharacter);
    this.end = start instanceof Position ? startCharacter : new Position(end, endCharacter);
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = text.split(':')[0];
    this.path = text.replace(/^\w+:\/\//, '');
    this.fsPath = this.path;
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(path) {
    return new Uri(`file://${path}`);
  }
  toString() {
    return this.text;
  }
}

/** Classes and namespaces that only need to exist. */
function empty(name) {
  const made = class {
    constructor(...parts) {
      this.parts = parts;
    }
  };
  Object.defineProperty(made, 'name', { value: name });
  return new Proxy(made, {
    get(target, key) {
      if (key in target || typeof key === 'symbol') return target[key];
      return key;
    },
  });
}

function make() {
  const events = {};
  const event = (name) => (events[name] ??= new Emitter()).event;
  const token = (name) => ({
    isCancellationRequested: false,
    onCancellationRequested: event(name),
  });
  const state = {
    events,
    errors: [],
    commands: {},
    settings: {},
    diagnostics: new Map(),
    providers: [],
  };
  const collection = () => ({
    set(uri, found) {
      state.diagnostics.set(uri.toString(), found);
      events.published?.fire(uri.toString());
    },
    delete(uri) {
      state.diagnostics.delete(uri.toString());
    },
    clear() {
      state.diagnostics.clear();
    },
    has: (uri) => state.diagnostics.has(uri.toString()),
    get: (uri) => state.diagnostics.get(uri.toString()),
    dispose() {},
  });
  events.published = new Emitter();
  const none = () => {};
  const channel = {
    append: none,
    appendLine: none,
    show: none,
    clear: none,
    dispose: none,
    replace: none,
  };
  const languages = new Proxy(
    {
      createDiagnosticCollection: collection,
      match: (selector, document) =>
        [selector].flat().some((one) => (one.language ?? one) === document.languageId) ? 10 : 0,
      onDidChangeDiagnostics: event('diagnostics'),
    },
    {
      get(target, key) {
        if (key in target) return target[key];
        return (...parts) => {
          state.providers.push([key, ...parts]);
          return new Disposable();
        };
      },
    },
  );
  const documents = [];
  const workspace = new Proxy(
    {
      textDocuments: documents,
      notebookDocuments: [],
      workspaceFolders: undefined,
      getConfiguration: (section) => ({
        get: (key, otherwise) => state.settings[section ? `${section}.${key}` : key] ?? otherwise,
      }),
      createFileSystemWatcher: () => new Disposable(),
      registerTextDocumentContentProvider: () => new Disposable(),
      applyEdit: async () => true,
    },
    {
      get(target, key) {
        if (key in target) return target[key];
        if (typeof key === 'string' && key.startsWith('on')) return event(key);
        return undefined;
      },
    },
  );
  const window = new Proxy(
    {
      createOutputChannel: () => channel,
      showErrorMessage: async (text) => void state.errors.push(text),
      showWarningMessage: async (text) => void state.errors.push(text),
      showInformationMessage: async () => undefined,
      withProgress: (_options, task) =>
        task({ report() {} }, token('cancel')),
      activeTextEditor: undefined,
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: event('tabs'), onDidChangeTabGroups: event('groups') },
    },
    {
      get(target, key) {
        if (key in target) return target[key];
        if (typeof key === 'string' && key.startsWith('on')) return event(`window.${key}`);
        return undefined;
      },
    },
  );
  const commands = {
    registerCommand(name, run) {
      state.commands[name] = run;
      return new Disposable(() => delete state.commands[name]);
    },
    executeCommand: async (name, ...parts) => state.commands[name]?.(...parts),
  };
  const known = {
    Diagnostic,
    Disposable,
    EventEmitter: Emitter,
    Position,
    Range,
    Uri,
    languages,
    workspace,
    window,
    commands,
    version: '1.90.0',
    env: { appName: 'stub', language: 'en', clipboard: {}, appHost: 'desktop' },
    extensions: { getExtension: () => undefined, all: [], onDidChange: event('extensions') },
    l10n: { t: (text) => text },
    CancellationTokenSource: class {
      constructor() {
        this.token = token('token');
      }
      cancel() {}
      dispose() {}
    },
    CodeActionKind: {
      Empty: { append: (part) => ({ value: part }), value: '' },
      QuickFix: { value: 'quickfix' },
    },
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    UIKind: { Desktop: 1, Web: 2 },
  };
  known.CancellationTokenSource.None = token('none');
  const vscode = new Proxy(known, {
    get(target, key) {
      if (typeof key === 'string' && !(key in target)) target[key] = empty(key);
      return target[key];
    },
  });
  return { vscode, state, documents };
}

/** Makes `require('vscode')` give a new stub. */
function install() {
  const made = make();
  const load = Module._load;
  Module._load = function (request, ...rest) {
    return request === 'vscode' ? made.vscode : load.call(this, request, ...rest);
  };
  return made;
}

module.exports = { install };
