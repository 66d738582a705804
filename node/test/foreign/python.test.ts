import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { patience } from "../process/patience.ts"
import { servedNode, type ServedNode } from "./served-chain.ts"

const PROGRAM = fileURLToPath(new URL("programs/bitcoinlib.py", import.meta.url))

/** Debian's python, for which its packages are. */
const PYTHON = "/usr/bin/python3"

const isInstalled = spawnSync(PYTHON, ["-c", "import bitcoin.rpc"]).status === 0

if (!isInstalled) {
  process.stderr.write("foreign programs: Debian's python3-bitcoinlib is not installed, so its test is left out\n")
}

describe.runIf(isInstalled)("python-bitcoinlib, which others wrote", () => {
  let served: ServedNode
  beforeAll(async () => void (served = await servedNode("cookie")), patience(120_000))
  afterAll(() => served?.stop())

  it("finds bitcoind by its configuration and cookie, mines, pays and understands errors", async () => {
    const { status, stderr, stdout } = spawnSync(PYTHON, [PROGRAM, served.configuration], {
      encoding: "utf8",
      timeout: patience(60_000)
    })
    assert.strictEqual(status, 0, stderr)
    const { payment, ...said } = JSON.parse(stdout) as { readonly payment: string; readonly txid: string }
    const call = served.client.call
    assert.deepStrictEqual<unknown>(said, {
      height: 102,
      mined: 101,
      first: await call("getblockhash", 1),
      txid: (await call("decoderawtransaction", payment) as { readonly txid: string }).txid,
      waiting: [said.txid],
      confirmations: 1,
      same: true,
      amount: 4_999_000_000,
      chain: "regtest",
      failures: {
        block: "IndexError",
        transaction: "IndexError",
        spent: "IndexError",
        again: "VerifyAlreadyInChainError",
        wallet: "JSONRPCError"
      }
    })
  }, patience(120_000))
})
