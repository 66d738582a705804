import type { Crypto } from "@lockstep/kernel/crypto"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { SecretKey } from "../descriptor/key-text.ts"
import { witnessKeyHashScript, witnessScriptHashScript } from "../descriptor/scripts.ts"
import { addSecret, emptyProvider, type SigningProvider } from "../psbt/sign/signing-provider.ts"

/** Returns a provider of private keys and of the witness programs of their key hashes. */
export const providerOfKeys = (keys: ReadonlyArray<SecretKey>, crypto: Crypto): SigningProvider => {
  const provider = emptyProvider()
  for (const { compressed, publicKey, secret } of keys) {
    addSecret(provider, publicKey, secret, crypto)
    provider.hashed.set(hexOf(crypto.hash160(publicKey)), publicKey)
    if (!compressed) continue
    const program = witnessKeyHashScript(publicKey, crypto)
    provider.scripts.set(hexOf(crypto.hash160(program)), program)
  }
  return provider
}

/** Adds a script and the witness program of its hash. */
export const addScript = ({ scripts }: SigningProvider, script: Uint8Array, crypto: Crypto): void => {
  for (const each of [script, witnessScriptHashScript(script, crypto)]) scripts.set(hexOf(crypto.hash160(each)), each)
}
