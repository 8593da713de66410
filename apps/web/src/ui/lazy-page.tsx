import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/**
 * A page whose code is fetched when it is first shown, so that listeners do not carry what only guests and admins need.
 * Until then nothing is shown; when the code cannot be fetched it is asked for again.
 */
export function lazyPage<P extends object>(fetchPage: () => Promise<ComponentType<P>>): ComponentType<P> {
  let fetched: ComponentType<P> | null = null
  return function Late(props: P) {
    const [Page, setPage] = useState(() => fetched)
    useEffect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const ask = () =>
        fetchPage().then(
          (page) => {
            fetched = page
            setPage(() => page)
          },
          () => {
            timer = setTimeout(ask, RETRY_MS)
          },
        )
      if (!fetched) void ask()
      return () => clearTimeout(timer)
    }, [])
    return Page && <Page {...props} />
  }
}

const RETRY_MS = 3_000
