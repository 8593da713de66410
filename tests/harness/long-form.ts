const isLong = process.env.TEST_FORM === 'long'

/**
 * `npm test` runs the short form of a test that repeats itself, and `npm run test:faults` the long one: the same rules, over more
 * seeds, rounds or seconds.
 */
export const inForm = <T>({ short, long }: { short: T; long: T }): T => (isLong ? long : short)
