import type { Radio } from '../../radio/radio.ts'
import { requestLog, withHeard, withNews, withOrders } from './request-log.ts'

/** Logs what becomes of this listener's requests, until the returned function is called. */
export function followRequests({ connection, donations, heard }: Radio): () => void {
  let lastHeard: unknown = null
  const ends = [
    connection.requests.news.subscribe((news) => news && requestLog.update((log) => withNews(log, news))),
    donations.orders.subscribe((orders) => {
      if (orders.length) requestLog.update((log) => withOrders(log, orders))
    }),
    heard.subscribe((airing) => {
      if (!airing || airing.state.track === lastHeard) return
      lastHeard = airing.state.track
      const log = withHeard(requestLog.value, airing.state, Date.now())
      if (log !== requestLog.value) requestLog.update(() => log)
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}
