import t from 'tap'
import { draftOf, readCeiling, readPrice, settingsOf, tierPrices } from './prices.ts'

const saved = {
  currency: 'UAH',
  pricingMode: 'fixed',
  fixedPrice: 50,
  pricePerSecond: 0.02,
  tiersEnabled: true,
  tierCeiling: 4,
  blockDonationsWhileChatting: false,
} as const

t.test('a tier costs twice the one below', async (t) => {
  t.same(tierPrices(saved, 180), [50, 100, 200, 400])
})

t.test('without tiers there is one price', async (t) => {
  t.same(tierPrices({ ...saved, tiersEnabled: false }, 180), [50])
})

t.test('a price by the second grows with the length, in whole hundredths, halves up', async (t) => {
  const bySecond = { ...saved, pricingMode: 'calculated', tiersEnabled: false } as const
  t.same(tierPrices(bySecond, 180), [3.6])
  t.same(tierPrices({ ...bySecond, pricePerSecond: 1.005 }, 1), [1.01])
})

t.test('nothing costs less than a hundredth', async (t) => {
  t.same(tierPrices({ ...saved, tiersEnabled: false, fixedPrice: 0.001 }, 180), [0.01])
})

t.test('a price is a number above zero, with a point or a comma', async (t) => {
  t.same(['12.5', ' 12,5 ', '0', '-1', '', 'x', '1000001'].map(readPrice), [
    12.5,
    12.5,
    null,
    null,
    null,
    null,
    null,
  ])
})

t.test('a ceiling is a whole number from 2 to 10', async (t) => {
  t.same(['2', '10', '1', '11', '2.5', ''].map(readCeiling), [2, 10, null, null, null, null])
})

t.test('a field that counts must be right', async (t) => {
  t.equal(settingsOf({ ...draftOf(saved), fixedPrice: '' }, saved), null)
  t.equal(settingsOf({ ...draftOf(saved), tierCeiling: '1' }, saved), null)
})

t.test('a field that does not count stays as it was saved', async (t) => {
  const draft = { ...draftOf(saved), pricePerSecond: '', tiersEnabled: false, tierCeiling: '1' }
  t.same(settingsOf(draft, saved), { ...saved, tiersEnabled: false })
})
