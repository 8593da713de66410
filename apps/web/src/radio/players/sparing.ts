interface Network {
  saveData?: boolean
  effectiveType?: string
}

/** The browser's word on its network; nothing in Firefox and Safari. */
const network = (): Network => (navigator as Navigator & { connection?: Network }).connection ?? {}

/** True where the listener asked the browser to save data. */
export const isSparing = (): boolean => network().saveData === true

/** True on a network that is slower than a usual stream, or where data is to be saved. */
export const isNarrow = (): boolean => isSparing() || /2g/.test(network().effectiveType ?? '')
