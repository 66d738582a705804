import { DEPRECATED_ANSWERS } from "../deprecated-answers.ts"
import { key, table } from "./key.ts"
import { choice, flag, hostPort, integer, ipSubnet, listOf, namesTo, path, text } from "./shapes.ts"

const token = text("a text without spaces", /^[\x21-\x7e]+$/)
/** Matches a user with the salted hash of its password, in three groups. */
export const SALTED_PASSWORD = /^([^:\r\n\0]+):([^:$\s]+)\$([0-9a-f]{64})$/

const saltedPassword = text(
  "a text user:salt$hash with 64 hexadecimal digits in small letters as the hash",
  SALTED_PASSWORD
)
/** Matches the name of a method. */
export const METHOD_NAME = /^[\w-]+$/
const method = text("the name of a method", METHOD_NAME)
const printable = text("a text without line breaks", /^[^\r\n\0]+$/)

const identity = text("the identity of a certificate, as 12D3KooW…", /^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}$/)
const IDENTITY = "12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"

const RPC_QUIC_TABLE = table(
  "RPC over QUIC, for the credentials of [rpc_auth] and for certificates. It needs a binary for QUIC.",
  {
    bind: key(hostPort, {
      about: "Address and port of UDP where RPC is served over QUIC as well.",
      fallbackText: "none: RPC is not served over QUIC",
      example: "127.0.0.1:28444"
    }),
    identities: key(listOf(identity), {
      about: "Callers with normal privilege, by the identity that their certificates prove.",
      fallback: [],
      example: [IDENTITY]
    }),
    admin_identities: key(listOf(identity), {
      about: "Callers with admin privilege, by the identity that their certificates prove.",
      fallback: [],
      example: [IDENTITY]
    })
  }
)

export const RPC_TABLE = table(
  "Limits of the RPC server. Its address is not set here but by --rpc-addr or NODE_RPC_ADDR.",
  {
    max_request_size_bytes: key(integer(1_024, 1_073_741_824), {
      about: "Bytes of the longest request.",
      fallback: 33_554_432
    }),
    allow_ip: key(listOf(ipSubnet), {
      about:
        "Addresses and subnets that RPC and REST answer, beside this machine itself; others get 403. With none, all of them " +
        "are answered. Where RPC listens is set by --rpc-addr.",
      fallback: [],
      example: ["192.168.1.0/24"]
    }),
    work_queue: key(integer(1, 100_000), { about: "Requests that may wait; one more is refused.", fallback: 64 }),
    request_timeout_secs: key(integer(1, 86_400), {
      about: "How long a caller may stay silent inside a request.",
      fallback: 30
    }),
    deprecated: key(listOf(choice(DEPRECATED_ANSWERS)), {
      about:
        "Deprecated answers to keep: bip125 (bip125-replaceable of mempool entries), fullrbf (of getmempoolinfo), warnings " +
        "(as one text instead of a list).",
      fallback: [],
      example: ["bip125"]
    }),
    rate_limit_when_auth_disabled: key(flag, {
      about: "Limit callers also where no credentials are configured.",
      fallback: false
    }),
    rate_limit_loopback: key(flag, { about: "Limit callers on this machine, too.", fallback: false }),
    rate_limit_admins: key(flag, { about: "Limit administrators, too.", fallback: false }),
    ip_rate_limit_burst: key(integer(0), {
      about:
        "Requests without credentials that one address may make at once; 0: no limit. Beyond it they are answered with 429.",
      fallback: 100
    }),
    ip_rate_limit_rate: key(integer(0), {
      about: "Requests a second one address may make without credentials; 0: no limit.",
      fallback: 20
    }),
    max_connections_per_ip_per_minute: key(integer(0), {
      about: "New connections of one address; 0: no limit.",
      fallback: 0
    }),
    connection_rate_limit_window_seconds: key(integer(1), {
      about: "Over how long connections are counted.",
      fallback: 60
    }),
    batch_rate_multiplier_cap: key(integer(1), { about: "The most requests that a batch counts as.", fallback: 10 }),
    max_failed_credentials: key(integer(0), {
      about: "Wrong credentials after which all requests of an address are refused for a while; 0: any number.",
      fallback: 10
    }),
    failed_credentials_block_secs: key(integer(1), {
      about: "How long that while is, from the first of them.",
      fallback: 300
    }),
    quic: RPC_QUIC_TABLE
  }
)

export const RPC_AUTH_TABLE = table(
  "Credentials and what they may call. The cookie in the data directory may call all that whitelist does not forbid it.",
  {
    required: key(flag, { about: "Refuse every request without credentials; the cookie is one.", fallback: false }),
    tokens: key(listOf(token), {
      about: "Bearer tokens with normal privilege. RPC_AUTH_TOKENS is stronger.",
      fallback: [],
      example: ["replace-me"],
      secret: true
    }),
    token_file: key(path, {
      about:
        "Bearer tokens with normal privilege, one a line; lines that start with # are comments. Stronger than tokens.",
      fallbackText: "none",
      example: "~/.lockstep/tokens"
    }),
    admin_tokens: key(listOf(token), {
      about: "Bearer tokens with admin privilege.",
      fallback: [],
      example: ["replace-me-too"],
      secret: true
    }),
    username: key(text("a text without a colon", /^[^:\r\n\0]+$/), {
      about: "Name for HTTP Basic.",
      fallbackText: "none",
      example: "operator"
    }),
    password: key(printable, {
      about: "Password for HTTP Basic. It grants admin privilege.",
      fallbackText: "none",
      example: "replace-me",
      secret: true
    }),
    rpcauth: key(listOf(saltedPassword), {
      about:
        "Users for HTTP Basic, each user:salt$hash as Bitcoin Core's rpcauth has it: the hash is HMAC-SHA256 of the password, " +
        "its key is the salt. They grant admin privilege.",
      fallback: [],
      example: [`alice:0c1f6a$${"7d9b3a52".repeat(8)}`],
      secret: true
    }),
    whitelist: key(namesTo(listOf(method), "user"), {
      about:
        "The only methods that a user may call; others get 403. Callers without a user name are called __cookie__, __token__, " +
        "__admin_token__ and __anonymous__.",
      fallback: {},
      example: { alice: ["getblockcount", "getblockchaininfo"] }
    }),
    whitelist_default: key(flag, {
      about: "Users that whitelist does not name may call nothing.",
      fallbackText: "true if whitelist names a user, else false",
      example: true
    }),
    rate_limit_burst: key(integer(0), {
      about: "Requests one caller with credentials may make at once; 0: no limit.",
      fallback: 1_000
    }),
    rate_limit_rate: key(integer(0), {
      about: "Requests a second one caller with credentials may make; 0: no limit.",
      fallback: 200
    })
  }
)

export const REST_API_TABLE = table("REST under /api/v1 on an address of its own.", {
  enabled: key(flag, { about: "Serve REST.", fallback: false }),
  listen_addr: key(hostPort, {
    about: "Where to serve it.",
    fallbackText: "127.0.0.1 and a port that follows the RPC port",
    example: "127.0.0.1:28443"
  })
})
