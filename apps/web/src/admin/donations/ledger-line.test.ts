import t from 'tap'
import { ledgerLine } from './ledger-line.ts'
import { donationTexts } from './texts.ts'

const { en } = donationTexts
const line = (event: string, note = '') => ledgerLine({ event, note }, en)

t.test('a payment is shown with the name of its service', async (t) => {
  t.same(line('claimed', 'matching_provider_1 2f6c'), {
    title: 'Payment accepted',
    about: 'Donatello 2f6c',
  })
})

t.test('a decision is shown with the admin who made it', async (t) => {
  t.same(line('requeued', 'by Ann: night'), { title: 'Song queued again', about: 'decided by Ann: night' })
})

t.test('what went on air is shown with its frame', async (t) => {
  t.same(line('on-air', 'frame 42'), { title: 'Song on air', about: 'frame 42 of the broadcast' })
  t.same(line('on-air'), { title: 'Song on air', about: '' })
})

t.test(
  'a song without a place, an unpaid order and a payment that does not count are told apart',
  async (t) => {
    t.same(line('refused', 'removed'), { title: 'Song found no place', about: 'an admin removed it' })
    t.same(line('refused', 'expired'), { title: 'Closed unpaid', about: 'no payment in time' })
    t.same(line('refused', 'payment_failed: checkout_provider_2 pi_1'), {
      title: 'Closed unpaid',
      about: 'the payment was declined · Stripe pi_1',
    })
    t.same(line('refused', 'too_little: matching_provider_2 t-1'), {
      title: 'Payment not accepted',
      about: 'too small an amount · Ko-fi t-1',
    })
  },
)

t.test('too late means the payment or the queue, whichever it is about', async (t) => {
  t.equal(line('refused', 'too_late').about, en.reasons.too_late)
  t.equal(line('refused', 'too_late: matching_provider_2 t-1').about, `${en.paidTooLate} · Ko-fi t-1`)
})

t.test('a payment without an order is shown with its amount', async (t) => {
  t.same(line('refused', 'unknown_order 3a1c: matching_provider_1 2f6c, 50.00 UAH'), {
    title: 'Payment not accepted',
    about: 'no such order · 3a1c · Donatello 2f6c, 50.00 UAH',
  })
})

t.test('what this panel does not know yet is shown as it is', async (t) => {
  t.same(line('moved', 'to x'), { title: 'moved', about: 'to x' })
  t.same(line('refused', 'new_reason'), { title: 'Song found no place', about: 'new_reason' })
})
