import { createRequire } from "node:module"
import type * as secp256k1 from "secp256k1"
import { type Attempt, attempt } from "../attempt.ts"
import type { CurvePoints } from "./ellswift.ts"

type Addon = typeof secp256k1

/** Not the package's main file, which would silently fall back on a slow implementation in JavaScript. */
const ADDON = "secp256k1/bindings.js"

const EVEN = Uint8Array.of(2)

/** Group arithmetic by the addon of the package secp256k1, which has libsecp256k1 in it but not its ElligatorSwift. */
export const addonPoints = (module: string = ADDON): Attempt<CurvePoints> => {
  const addon = attempt(() => createRequire(import.meta.url)(module) as Addon)
  if (!addon.ok) return addon
  const { ecdh, publicKeyCreate } = addon.value
  const xOnly = { hashfn: (x: Uint8Array): Uint8Array => x }
  return {
    ok: true,
    value: {
      publicKey: (privateKey) => publicKeyCreate(privateKey, false).subarray(1),
      productX: (privateKey, x) => ecdh(Buffer.concat([EVEN, x]), privateKey, xOnly, new Uint8Array(32))
    }
  }
}
