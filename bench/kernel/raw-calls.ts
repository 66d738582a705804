import { createMachine, type Crypto, type Spend, verifyScript } from "../../kernel/src/index.ts"

/** Asks a provider one question that verifying a spend asked it. */
type RawCall = () => boolean

/**
 * The questions about signatures and keys that verifying `spend` asks `provider`, to be asked once more with nothing
 * around them. Hashes are not among them: they belong to what the kernel adds.
 */
export const rawCallsOf = (spend: Spend, provider: Crypto): ReadonlyArray<RawCall> => {
  const calls: Array<RawCall> = []
  const noted = (call: RawCall): boolean => {
    calls.push(call)
    return call()
  }
  const machine = createMachine({
    ...provider,
    ecdsaVerify: (signature, key, digest) => noted(() => provider.ecdsaVerify(signature, key, digest)),
    schnorrVerify: (signature, key, message) => noted(() => provider.schnorrVerify(signature, key, message)),
    taprootTweakMatches: (internal, tweak, output, parity) =>
      noted(() => provider.taprootTweakMatches(internal, tweak, output, parity))
  })
  const verdict = verifyScript(machine, spend)
  if (verdict._tag === "Failure") {
    throw new Error(`a spend that the bench signed does not verify (${verdict.failure.rule})`)
  }
  return calls
}
