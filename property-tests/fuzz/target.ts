import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { Command } from "@lockstep/protocol/wire/codecs.ts"
import type { NaiveSpend } from "../src/oracles/spend.ts"
import type { RealChain } from "./corpus/real-chains.ts"
import type { Random } from "./random.ts"

/** The payload of a message between nodes. */
export interface WireMessage {
  readonly command: Command
  readonly payload: Uint8Array
}

/** What every target's inputs are made from. */
export interface Seeds {
  readonly spends: ReadonlyArray<NaiveSpend>
  readonly transactions: ReadonlyArray<Uint8Array>
  readonly blocks: ReadonlyArray<Uint8Array>
  readonly scripts: ReadonlyArray<Uint8Array>
  readonly signatures: ReadonlyArray<Uint8Array>
  readonly keys: ReadonlyArray<Uint8Array>
  readonly chains: ReadonlyArray<RealChain>
  readonly messages: ReadonlyArray<WireMessage>
}

/** Where a target may leave files. */
export interface Surroundings {
  readonly scratch: string
}

/** Crypto providers of this machine by name, the fastest first. */
export type Providers = ReadonlyArray<{ readonly name: string; readonly crypto: Crypto }>

/** One thing that is fuzzed: how an input is made, and what must hold of it. */
export interface Target<Input> {
  readonly name: string
  readonly about: string
  readonly generate: (random: Random, seeds: Seeds) => Input
  /** Whether a simplified input still is one; absent where any is. */
  readonly isInput?: (input: Input) => boolean
  /** Starts what inputs are tried on, unless it runs, and answers how to end it. */
  readonly prepare?: (surroundings: Surroundings) => Promise<() => Promise<void>>
  /** What is wrong, in words; undefined when nothing is. An exception is a finding as well. */
  readonly judge: (input: Input, providers: Providers) => string | undefined | Promise<string | undefined>
  /** What there is to report of the inputs so far, in lines. */
  readonly notes?: () => ReadonlyArray<string>
  /** Where inputs that once showed a fault are kept, where that is not with those of the kernel. */
  readonly regressions?: string
}

/** A target whose inputs only itself understands. */
export type AnyTarget = Target<never>

/** A module that brings targets, by its address: the fuzzer's two threads both load it. */
export interface TargetModule {
  readonly TARGETS: ReadonlyArray<AnyTarget>
}

/** All targets of some modules. */
export const targetsOf = async (modules: ReadonlyArray<string>): Promise<ReadonlyArray<AnyTarget>> => {
  const loaded = await Promise.all(modules.map((address) => import(address) as Promise<TargetModule>))
  return loaded.flatMap(({ TARGETS }) => TARGETS)
}
