import type { RequestListener } from 'node:http'
import type { Teardown } from '../../processes/processes.ts'
import { until } from '../../until.ts'
import { serve } from '../serve.ts'

/** A lyrics service in the LRCLIB format that answers as the test says and records the titles requested. */
export async function openLyricsService(t: Teardown) {
  const service = {
    asked: [] as URLSearchParams[],
    titles: () => service.asked.map((search) => search.get('track_name')),
    /** Maximum number of requests it was answering at once. */
    most: 0,
    answer: ((_, response) => response.writeHead(404).end()) as RequestListener,
    /** Answers every title in `known`; the value is the text. */
    knows(known: Record<string, object>) {
      service.answer = (request, response) => {
        const found = known[new URL(request.url!, 'http://x').searchParams.get('track_name')!]
        if (found) response.end(JSON.stringify(found))
        else response.writeHead(404).end()
      }
    },
    /** Resolves once it has received this many requests. */
    async wasAsked(times: number) {
      await until(`the lyrics service is asked ${times} times`, () => service.asked.length >= times)
    },
    url: '',
  }
  let open = 0
  service.url = await serve(t, (request, response) => {
    service.asked.push(new URL(request.url!, 'http://x').searchParams)
    service.most = Math.max(service.most, ++open)
    response.once('close', () => open--)
    service.answer(request, response)
  })
  return service
}
