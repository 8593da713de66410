/** Converts hundredths into units of the currency, as prices are shown. */
export function toUnits(amountMinor: number): number {
  return amountMinor / 100
}
