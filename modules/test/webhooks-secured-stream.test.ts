import type { ModuleNetwork, NetworkStream } from "@lockstep/sdk"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Duplex, duplexPair } from "node:stream"
import { TLSSocket } from "node:tls"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { HttpHook } from "../webhooks/src/hook.ts"
import { httpSender } from "../webhooks/src/send/http-sender.ts"
import { securedStream } from "../webhooks/src/send/secured-stream.ts"

const directory = mkdtempSync(join(tmpdir(), "lockstep-tls-"))
const [KEY_FILE, CERT_FILE] = [join(directory, "key"), join(directory, "cert")]
/** A certificate that is its own authority for those who trust it. */
const certificate = { key: "", cert: "" }

beforeAll(() => {
  const names = "subjectAltName=DNS:hook.example,IP:127.0.0.1,IP:::1"
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
  const args = [
    "req",
    "-x509",
    ...made,
    "-subj",
    "/CN=server",
    "-addext",
    names,
    "-keyout",
    KEY_FILE,
    "-out",
    CERT_FILE
  ]
  execFileSync("openssl", args, { stdio: "ignore" })
  Object.assign(certificate, { key: readFileSync(KEY_FILE, "utf8"), cert: readFileSync(CERT_FILE, "utf8") })
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const never = (): AbortSignal => new AbortController().signal

/** A stream to a server of TLS, and what the server sees; the requests of HTTP that it gets are accepted. */
const toServer = () => {
  const [near, far] = duplexPair()
  const { cert, key } = certificate
  const secured = new TLSSocket(far, { isServer: true, cert, key })
  secured.on("error", () => undefined)
  const named: Array<string | false | null> = []
  secured.on("secure", () => void named.push((secured as unknown as { servername: string | false | null }).servername))
  return { far, named, near, secured }
}

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(() => "secured", (error: Error & { code?: string }) => error.code ?? error.name)

describe("a stream that is secured", () => {
  it.each<readonly [string, string | false]>([
    ["hook.example", "hook.example"],
    ["127.0.0.1", false],
    ["[::1]", false]
  ])(
    "to %s by the hook's authority carries what is written, and names a host that is no address",
    async (host, name) => {
      const { named, near, secured } = toServer()
      const stream = await securedStream(near, host, certificate.cert, never())
      stream.write("a word")
      assert.strictEqual(String((await once(secured, "data"))[0]), "a word")
      secured.write("another")
      assert.strictEqual(String((await once(stream, "data"))[0]), "another")
      assert.deepStrictEqual(named.map((each) => each || false), [name])
    }
  )

  it.each<readonly [string, string, boolean, string]>([
    ["is for another name", "other.example", true, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["is for another address", "127.0.0.2", true, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["is by no public authority", "hook.example", false, "DEPTH_ZERO_SELF_SIGNED_CERT"]
  ])("is refused where the certificate %s", async (_, host, isTrusted, code) => {
    const { near } = toServer()
    assert.strictEqual(
      await outcome(securedStream(near, host, isTrusted ? certificate.cert : undefined, never())),
      code
    )
  })

  it("is waited for no longer than its signal allows", async () => {
    const [near] = duplexPair()
    const ending = new AbortController()
    const securing = outcome(securedStream(near, "hook.example", certificate.cert, ending.signal))
    ending.abort()
    assert.strictEqual(await securing, "ABORT_ERR")
  })

  it("may break after the handshake without an error that ends the module", async () => {
    const { near } = toServer()
    const stream = await securedStream(near, "hook.example", certificate.cert, never())
    const closed = new Promise((resolve) => void stream.once("close", resolve))
    stream.destroy(new Error("cut"))
    await closed
    assert.isTrue(stream.destroyed)
  })
})

describe("an event for a hook with https", () => {
  const HOOK: HttpHook = {
    name: "a",
    kind: "http",
    url: new URL("https://hook.example/in"),
    events: ["NewBlock"],
    where: {},
    authorities: undefined,
    secret: undefined,
    headers: {}
  }

  const sentTo = async (hook: HttpHook): Promise<readonly [asked: string, first: string, outcome: string]> => {
    const { near, secured } = toServer()
    let [asked, first] = ["", ""]
    secured.on("data", (chunk: Buffer) => {
      first += chunk.toString()
      if (first.endsWith("{}")) secured.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
    })
    const network: ModuleNetwork = {
      listen: () => Promise.reject(new Error("it listens nowhere")),
      connect: (address) => {
        asked = address
        return Promise.resolve(near as Duplex as NetworkStream)
      }
    }
    const sending = httpSender(hook, network, 60_000).send({
      hook: "a",
      number: 1,
      event: "NewBlock",
      body: Buffer.from("{}")
    })
    const said = await sending.then(() => "accepted", (error: NodeJS.ErrnoException) => error.code ?? error.message)
    return [asked, first.split("\r\n")[0]!, said]
  }

  it.each<readonly [string, string]>([
    ["https://hook.example/in", "hook.example:443"],
    ["https://127.0.0.1:8443/in", "127.0.0.1:8443"],
    ["https://[::1]/in", "[::1]:443"]
  ])("goes to %s at %s", async (url, place) => {
    const hook = { ...HOOK, url: new URL(url), authorities: certificate.cert }
    assert.deepStrictEqual(await sentTo(hook), [place, "POST /in HTTP/1.1", "accepted"])
  })

  it("is not sent where the certificate is not trusted", async () => {
    assert.deepStrictEqual(await sentTo(HOOK), ["hook.example:443", "", "DEPTH_ZERO_SELF_SIGNED_CERT"])
  })
})
