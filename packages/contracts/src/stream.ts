/**
 * A new listener of the stream gets this much of the last sound at once, in ms, so that its player starts now and has
 * something to live on. It then hears the station so much later than the station's clock.
 */
export const streamBurstMs = 8_000
