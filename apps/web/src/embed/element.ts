import { defineSolsticePlayer } from './solstice-player.ts'

/** The file `/solstice-player.js`: without a `src`, players belong to the station that the file came from. */
const { currentScript } = document
const from = currentScript instanceof HTMLScriptElement ? currentScript.src : ''
defineSolsticePlayer(from ? new URL(from).origin : undefined)
