/** The target of difficulty 1, as pools count it: 2²⁰⁸ · 65,535. */
const TARGET_OF_ONE = 0xffffn << 208n
const HIGHEST = (1n << 256n) - 1n

/** Digits of a difficulty that are kept behind the point. */
const SCALE = 2 ** 40

/** The target of a difficulty. */
export const targetOfDifficulty = (difficulty: number): bigint => {
  const scaled = BigInt(Math.max(1, Math.round(difficulty * SCALE)))
  const target = (TARGET_OF_ONE * BigInt(SCALE)) / scaled
  return target > HIGHEST ? HIGHEST : target
}

/** The difficulty of a target. */
export const difficultyOfTarget = (target: bigint): number => Number((TARGET_OF_ONE * BigInt(SCALE)) / target) / SCALE
