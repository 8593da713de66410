const SPARE_TOKEN_LIFE_S = 30

/** How long the tokens of a track with this much left have to live: its file is read until the end, and not always at once. */
export const tokenLifeS = (leftS: number): number => Math.max(0, leftS) + SPARE_TOKEN_LIFE_S
