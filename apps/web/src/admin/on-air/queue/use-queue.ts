import type { QueueItem } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useAir, useStation } from '../../data/panel.ts'
import type { QueryState } from '../../data/queries.ts'

export interface QueuePage {
  items: QueueItem[]
  /** Entries still to come. */
  total: number
}

const SHOWN = 20
/** A question that was not answered is asked again after this. */
const RETRY_MS = 3_000

/** The queue, asked for again whenever the air tells that it changed. */
export function useQueue(): QueryState<QueuePage> & { retry: () => void } {
  const station = useStation()
  const air = useAir()
  const [state, setState] = useState<QueryState<QueuePage>>({ is: 'loading' })
  const asked = useRef(0)
  const load = () => {
    const mine = ++asked.current
    station.request('get_queue', { offset: 0, limit: SHOWN }).then(
      (answer) => {
        if (mine !== asked.current) return
        if ('items' in answer) setState({ is: 'ready', data: answer, isStale: false })
        else setState({ is: 'failed', error: answer })
      },
      (error) => {
        if (mine !== asked.current) return
        setState((known) => (known.is === 'ready' ? { ...known, isStale: true } : { is: 'failed', error }))
        setTimeout(() => mine === asked.current && load(), RETRY_MS)
      },
    )
  }
  const shown = air?.playlist.map(({ id, orderType }) => `${id}${orderType}`).join()
  useEffect(load, [air?.track, air?.totalTracks, air?.currentIndex, shown])
  useEffect(() => {
    const stops = [
      station.on('queue_updated', load),
      // After a connection was lost: before that the socket is nobody's, and gets no answer.
      station.on('admin_confirmed', load),
      station.on('admin_success', load),
    ]
    return () => {
      asked.current++
      for (const stop of stops) stop()
    }
  }, [station])
  return { ...state, retry: load }
}
