/** True where the listener asked the browser to save data. */
export function isSparing(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}
