import t from 'tap'
import { newOrder } from '../../radio/donations/order.ts'
import { asText, isKeptTrack, toggled } from './favourites.ts'
import { type LoggedRequest, withHeard, withNews, withOrders } from './request-log.ts'
import { storedList } from './stored-list.ts'

const tide = { id: 'day/Tide.mp3', title: 'Tide', artist: 'Hilda' }
const moon = { id: 'night/Moon.mp3', title: 'Moon', artist: '' }

t.test('a favourite is kept first, and removed when it is chosen again', async (t) => {
  const both = toggled(toggled([], tide), moon)
  t.same(both, [moon, tide])
  t.same(toggled(both, tide), [moon])
  t.equal(asText(both), 'Moon\nHilda — Tide\n')
})

t.test('a stored list is bounded, and survives what else stands in the storage', async (t) => {
  const items = new Map([['list', JSON.stringify([tide, null, { id: 3 }, moon])]])
  const storage = { getItem: (name: string) => items.get(name) ?? null, setItem: items.set.bind(items) }
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true })
  t.teardown(() => Reflect.deleteProperty(globalThis, 'localStorage'))
  const list = storedList('list', isKeptTrack, 2)
  t.same(list.value, [tide, moon])
  list.update((tracks) => [{ ...tide, id: 'new' }, ...tracks])
  t.equal(list.value.length, 2)
  t.same(JSON.parse(items.get('list')!), [{ ...tide, id: 'new' }, tide])
  items.set('list', '{')
  t.same(storedList('list', isKeptTrack, 2).value, [])
})

t.test('a free request is logged with what became of it', async (t) => {
  const news = (is: Parameters<typeof withNews>[1]['is'], sinceMs: number, track = tide) => ({
    is,
    track,
    sinceMs,
  })
  const sent = withNews(withNews([], news('sent', 1)), news('sent', 2, moon))
  t.same(withNews(sent, news('no_admin', 3)), sent, 'a refusal is no request')
  const accepted = withNews(sent, news('accepted', 4))
  t.same(
    accepted.map(({ is }) => is),
    ['sent', 'accepted'],
  )
  t.equal(withHeard(accepted, { track: tide.id, orderType: null }, 5), accepted, 'by chance')
  t.equal(withHeard(accepted, { track: moon.id, orderType: 'lastinline' }, 5), accepted, 'not answered')
  const played = withHeard(accepted, { track: tide.id, orderType: 'lastinline' }, 5)
  t.equal(played[1]!.is, 'played')
  t.equal(withHeard(accepted, { track: tide.id, orderType: 'lastinline' }, 9e9), accepted, 'of long ago')
})

t.test('a paid request is logged once, whatever the order in which its status comes', async (t) => {
  const ticket = { song: tide, amount: 50, currency: 'UAH', payAt: '' }
  const order = { ...newOrder('a', 7), ticket, status: 'pending' as const }
  const pending = withOrders([], [order])
  t.same(pending, [{ track: tide, atMs: 7, is: 'pending', orderId: 'a' }] satisfies LoggedRequest[])
  t.equal(withOrders(pending, [order]), pending)
  const paid = withOrders(pending, [{ ...order, status: 'paid' }])
  const played = withHeard(paid, { track: tide.id, orderType: 'donated' }, 8)
  t.equal(played[0]!.is, 'played')
  t.equal(withOrders(played, [{ ...order, status: 'paid' }]), played)
  t.same(withOrders([], [{ ...order, ticket: null }]), [], 'a song that is not known')
})
