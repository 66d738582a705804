/** The operator's definition of spam: off by default, and never applied to a block. */
export { checkSpam } from "./spam/check-spam.ts"
export { spamPolicy, type SpamPolicy, type SpamPreset } from "./spam/spam-policy.ts"
