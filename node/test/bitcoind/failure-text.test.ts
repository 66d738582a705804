import { assert, describe, it } from "@effect/vitest"
import { coreFailureTexts, isQuestion } from "../../src/bitcoind/run/failure-text.ts"
import { systemErrorText } from "../../src/bitcoind/process/system-error.ts"
import { readFileSync } from "node:fs"

describe("what ends a start, in Bitcoin Core's words", () => {
  it.each<readonly [message: string, texts: ReadonlyArray<string>]>([
    ["cannot listen for RPC on 127.0.0.1:1: why", ["Unable to start HTTP server. See debug log for details."]],
    ["cannot write the cookie for tools on this machine: Cannot write /d/.cookie: why", [
      "Unable to start HTTP server. See debug log for details."
    ]],
    ["cannot listen for other nodes on 127.0.0.1:1: another program listens there", [
      "Unable to bind to 127.0.0.1:1 on this computer. Bitcoin Core is probably already running.",
      "Failed to listen on any port. Use -listen=0 if you want this."
    ]],
    ["cannot listen for other nodes on 1.1.1.1:1: this machine has no such address: choose another one", [
      "Unable to bind to 1.1.1.1:1 on this computer (bind returned error Cannot assign requested address (99))",
      "Failed to listen on any port. Use -listen=0 if you want this."
    ]],
    ["cannot listen for other nodes on 127.0.0.1:80: this user may not listen there: choose a port above 1023", [
      "Unable to bind to 127.0.0.1:80 on this computer (bind returned error Permission denied (13))",
      "Failed to listen on any port. Use -listen=0 if you want this."
    ]],
    ["cannot listen for other nodes on [::1]:80: this machine does not have that kind of address", [
      "Unable to bind to [::1]:80 on this computer (bind returned error Address family not supported by protocol (97))",
      "Failed to listen on any port. Use -listen=0 if you want this."
    ]],
    ["cannot listen for other nodes on [::1]:80: listen EPERM: operation not permitted ::1:80", [
      "Unable to bind to [::1]:80 on this computer (bind returned error Operation not permitted (1))",
      "Failed to listen on any port. Use -listen=0 if you want this."
    ]],
    ["cannot listen for other nodes on 1.1.1.1:80: listen EMFILE: too many open files 1.1.1.1:80", [
      "Unable to bind to 1.1.1.1:80 on this computer (bind returned error Too many open files (24))",
      "Failed to listen on any port. Use -listen=0 if you want this."
    ]],
    ["Old blocks in /d were removed by pruning, and pruning is switched off now. Switch it on again, …", [
      "You need to rebuild the database using -reindex to go back to unpruned mode.  This will redownload the entire " +
      "blockchain.\nPlease restart with -reindex or -reindex-chainstate to recover."
    ]],
    ["/d/blocks/blk00000.dat is missing; it should have 35566 bytes. Restore …", [
      "Error loading block database.\nPlease restart with -reindex or -reindex-chainstate to recover."
    ]],
    ["The database of the chain does not fit together: why", [
      "Error loading block database.\nPlease restart with -reindex or -reindex-chainstate to recover."
    ]],
    ["/d/blocks/rev00000.dat is too short: it has 5 bytes and should have 6150. Restore …", [
      "Corrupted block database detected.\nPlease restart with -reindex or -reindex-chainstate to recover."
    ]],
    ["/d/blocks/rev00000.dat is damaged at 8: why", [
      "A fatal internal error occurred, see debug.log for details: Failed to disconnect block."
    ]],
    ["Cannot open /d/blocks/rev00000.dat: it does not exist (ENOENT). Check …", [
      "A fatal internal error occurred, see debug.log for details: Failed to disconnect block."
    ]],
    ["Cannot open /d/blocks/rev00000.dat: permission is denied (EACCES). Give …", [
      "Cannot open /d/blocks/rev00000.dat: permission is denied (EACCES). Give …"
    ]],
    ["Cannot read /d/blocks/rev00000.dat: it is a directory, not a file (EISDIR). Move …", [
      "Cannot read /d/blocks/rev00000.dat: it is a directory, not a file (EISDIR). Move …"
    ]],
    ["Witness data for blocks after height 5 requires validation: why", [
      "Witness data for blocks after height 5 requires validation. Please restart with -reindex..\n" +
      "Please restart with -reindex or -reindex-chainstate to recover."
    ]],
    ["The data directory /d is used by another node", [
      "Cannot obtain a lock on directory /d. Bitcoin Core is probably already running."
    ]],
    ["txindex best block of the index goes beyond pruned data (including undo data). Please …", [
      "txindex best block of the index goes beyond pruned data (including undo data). Please …",
      "A fatal internal error occurred, see debug.log for details: Failed to start indexes, shutting down…"
    ]],
    ["The data directory /d belongs to the network signet, not to regtest, says its schema.json. Choose …", [
      "Incorrect or no genesis block found. Wrong datadir for network?"
    ]],
    ["What only this node says.", ["What only this node says."]]
  ])("%s", (message, texts) => {
    assert.deepStrictEqual(coreFailureTexts(message), texts)
  })

  it("has no heading where a rebuild is the question", () => {
    const [text] = coreFailureTexts("The block database contains a block which appears to be from the future: why")
    assert.isTrue(isQuestion(text!))
    assert.isFalse(isQuestion("What only this node says."))
  })
})

describe("an error of the system", () => {
  const errorOf = (path: string): unknown => {
    try {
      return readFileSync(path)
    } catch (error) {
      return error
    }
  }

  it("is shown with the system's words and its number; any other as it is", () => {
    assert.strictEqual(systemErrorText(errorOf("/no/such/file")), "No such file or directory (2)")
    assert.strictEqual(systemErrorText(errorOf("/")), "Is a directory (21)")
    assert.strictEqual(systemErrorText(new Error("why")), "why")
    assert.strictEqual(systemErrorText("why"), "why")
  })
})
