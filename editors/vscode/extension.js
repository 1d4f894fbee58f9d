// Starts `halidom lsp` for .hal files. Everything that the editor shows comes from that server.
'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

/** @type {LanguageClient | undefined} */
let client;

/** The last start or stop. Each waits for the one before, so that no server is left behind. */
let last = Promise.resolve();

/** Runs an action after all others; returns its end. */
function next(action) {
  last = last.then(action, action);
  return last;
}

/** The client's options, as the settings have them. */
function options() {
  const command = vscode.workspace.getConfiguration('halidom').get('path') || 'halidom';
  const executable = { command, args: ['lsp'] };
  return {
    server: { run: executable, debug: executable },
    client: { documentSelector: [{ language: 'halidom' }] },
  };
}

/** Starts the server; tells the user if it cannot be started. */
async function start() {
  const { server, client: settings } = options();
  client = new LanguageClient('halidom', 'Halidom', server, settings);
  try {
    await client.start();
  } catch (error) {
    const path = server.run.command;
    vscode.window.showErrorMessage(
      `Halidom: \`${path} lsp\` cannot be started. ` +
        `Set \`halidom.path\` to the halidom program. (${error.message})`,
    );
  }
}

/** Ends the server, if it runs. */
async function stop() {
  const running = client;
  client = undefined;
  // A client that failed to start cannot be stopped either.
  await running?.stop().catch(() => {});
}

async function activate(context) {
  const restart = () =>
    next(async () => {
      await stop();
      await start();
    });
  context.subscriptions.push(
    vscode.commands.registerCommand('halidom.restart', restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('halidom.path')) {
        return restart();
      }
    }),
  );
  await next(start);
}

module.exports = { activate, deactivate: () => next(stop) };
