import { createHmac, timingSafeEqual } from "node:crypto"
import { readFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import type { Random } from "../basics/environment.ts"
import type { ControlClient } from "./control-client.ts"
import { quote, splitLine, valuesOf } from "./control-text.ts"
import { type TorError, torError } from "./tor-error.ts"
import { settingName } from "../../front/setting-name.ts"

const CONTROL = settingName("[connections].tor_control")
const PASSWORD = settingName("[connections].tor_password")

const COOKIE_SIZE = 32
const OK = 250
const NONCE = /^[0-9A-Fa-f]{64}$/

/** The authentication methods that Tor offers, with the path of its cookie. */
interface Offer {
  readonly methods: ReadonlySet<string>
  readonly cookieFile: string | undefined
}

const hmac = (key: string, ...parts: ReadonlyArray<Uint8Array>): Buffer =>
  createHmac("sha256", key).update(Buffer.concat(parts)).digest()

const offered = Effect.fnUntraced(function*({ ask }: ControlClient): Effect.fn.Return<Offer, TorError> {
  const { code, lines } = yield* ask("PROTOCOLINFO 1")
  if (code !== OK) {
    return yield* torError(`Tor does not say how to log in (reply ${code}): check ${CONTROL}`)
  }
  const auth = lines.map(splitLine).find(({ word }) => word === "AUTH")
  const values = valuesOf(auth?.rest ?? "")
  return {
    methods: new Set((values.get("METHODS") ?? "").split(",").filter((method) => method !== "")),
    cookieFile: values.get("COOKIEFILE")
  }
})

const readCookie = (file: string): Effect.Effect<Uint8Array, TorError> =>
  Effect.tryPromise({
    try: () => readFile(file),
    catch: (cause) =>
      torError(
        `Tor's cookie ${file} cannot be read (${
          (cause as NodeJS.ErrnoException).code ?? String(cause)
        }): let the node's ` +
          `user read it, or set ${PASSWORD}`
      )
  }).pipe(Effect.flatMap((bytes) =>
    bytes.length === COOKIE_SIZE
      ? Effect.succeed(new Uint8Array(bytes))
      : Effect.fail(torError(`Tor's cookie ${file} has ${bytes.length} bytes, and not ${COOKIE_SIZE}`))
  ))

/** Proves to each side that the other knows the cookie, which is never sent. Returns the response for Tor. */
const safeCookie = Effect.fnUntraced(function*(
  { ask }: ControlClient,
  file: string,
  { bytes }: Pick<Random, "bytes">
): Effect.fn.Return<string, TorError> {
  const cookie = yield* readCookie(file)
  const own = bytes(COOKIE_SIZE)
  const { code, lines } = yield* ask(`AUTHCHALLENGE SAFECOOKIE ${Buffer.from(own).toString("hex")}`)
  const { rest, word } = splitLine(lines[0] ?? "")
  const values = valuesOf(rest)
  const [hash, nonce] = [values.get("SERVERHASH") ?? "", values.get("SERVERNONCE") ?? ""]
  if (code !== OK || word !== "AUTHCHALLENGE" || !NONCE.test(hash) || !NONCE.test(nonce)) {
    return yield* torError(`Tor does not answer the challenge of its cookie (reply ${code})`)
  }
  const known = [cookie, own, Buffer.from(nonce, "hex")]
  const wanted = hmac("Tor safe cookie authentication server-to-controller hash", ...known)
  if (!timingSafeEqual(wanted, Buffer.from(hash, "hex"))) {
    return yield* torError(
      `what answers at Tor's control port does not know the cookie in ${file}: check ${CONTROL}`
    )
  }
  return hmac("Tor safe cookie authentication controller-to-server hash", ...known).toString("hex")
})

/**
 * Returns the arguments of `AUTHENTICATE`. As in Bitcoin Core, that is a password if configured, otherwise nothing if
 * Tor allows that, otherwise the cookie.
 */
const credentials = Effect.fnUntraced(function*(
  client: ControlClient,
  password: string | undefined,
  random: Pick<Random, "bytes">
): Effect.fn.Return<string, TorError> {
  const { cookieFile, methods } = yield* offered(client)
  if (password !== undefined) {
    if (methods.has("HASHEDPASSWORD")) return ` ${quote(password)}`
    return yield* torError(
      `Tor takes no password: set HashedControlPassword in torrc, or leave ${PASSWORD} out`
    )
  }
  if (methods.has("NULL")) return ""
  if (methods.has("SAFECOOKIE") && cookieFile !== undefined) return ` ${yield* safeCookie(client, cookieFile, random)}`
  return yield* torError(
    methods.has("HASHEDPASSWORD")
      ? `Tor wants a password: set ${PASSWORD}`
      : "Tor offers no way to log in that the node knows: set CookieAuthentication 1 in torrc"
  )
})

/** Logs in to Tor. */
export const authenticate = Effect.fn("tor.authenticate")(function*(
  client: ControlClient,
  password: string | undefined,
  random: Pick<Random, "bytes">
): Effect.fn.Return<void, TorError> {
  const { code } = yield* client.ask(`AUTHENTICATE${yield* credentials(client, password, random)}`)
  if (code === OK) return
  return yield* torError(
    password === undefined
      ? `Tor does not let the node in (reply ${code})`
      : `Tor does not take the password (reply ${code}): check ${PASSWORD}`
  )
})
