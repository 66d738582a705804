import type { Crypto } from "@lockstep/kernel/crypto"
import { assert } from "vitest"
import { detectProviders } from "../src/index.ts"
import { prebuiltProvider } from "../src/prebuilt.ts"

/** As on a machine that the addon is not built for. */
const withoutAddon = { ...prebuiltProvider("no-such-addon"), name: "WebAssembly alone" }

export const providers = [...detectProviders(), withoutAddon].filter((provider) => provider.available)

/** The answer that all available providers give to one question; fails when two differ or one throws. */
export const answerOfAll = (question: (crypto: Crypto) => boolean): boolean => {
  const answers = providers.map(({ crypto, name }) => ({ name, answer: question(crypto) }))
  const first = answers[0]!.answer
  assert(
    answers.every(({ answer }) => answer === first),
    `providers differ: ${answers.map(({ answer, name }) => `${name} ${answer}`).join(", ")}`
  )
  return first
}
