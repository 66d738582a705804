/** A transaction of one input that is good, with the output that it spends: bytes in hex. */
export interface SampleSpend {
  readonly transaction: string
  readonly script: string
  readonly value: bigint
}

const KEY = "989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f"
const KEY_HASH = "a3c6b1ee4a49d9f2af3b3802974744fba924164a"

/** Version and the one input, up to its script; the one output with what is behind it. Signature hashes look at all of it. */
const INPUT = `01${"ab".repeat(32)}03000000`
const OUTPUT = "feffffff0110270000000000000151"

const withWitness = (witness: string): string => `020000000001${INPUT}00${OUTPUT}${witness}00000000`

/** The three kinds that most inputs are of, all signed by the same key: the secret is 32 bytes of 7. */
export const SAMPLE_SPENDS: ReadonlyArray<SampleSpend> = [
  {
    transaction: `02000000${INPUT}6b48` +
      "30450221008d0a50b8b1638916f0b0830af2eff87d3f02b74267c723e53c2a36ca79fdc8560220" +
      `4f47b491ec92461475718d202d3d660750ddcb376b031a8c51657d0b5e21270e012102${KEY}${OUTPUT}00000000`,
    script: `76a914${KEY_HASH}88ac`,
    value: 20_000n
  },
  {
    transaction: withWitness(
      "0247304402205f7ca894e01f8f3519917bf158334c8320b227544395b788b7b2f70c22874b5e0220" +
        `2f4df8bc9f2ede108588d9b184f43d8ff6ba0e3d31bdfe5d32ba1ad897f38154012102${KEY}`
    ),
    script: `0014${KEY_HASH}`,
    value: 20_000n
  },
  {
    transaction: withWitness(
      "0140e80ce5b720dd1ca0e597737133ad3983546bb1582f1db670dd7fb5debcd98dcb" +
        "3bc7fd04df7d82efa97c41ff5f13e70e4157506dad493f9aeebdd275a697930e"
    ),
    script: `5120${KEY}`,
    value: 20_000n
  }
]
