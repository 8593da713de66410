import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/**
 * A page whose code is fetched when it is first shown, so that listeners don't download the pages of guests and admins.
 * Renders nothing until then, and retries when the code can't be fetched. By hand, since all that `preact-iso` adds is a
 * router.
 */
export function lazyPage<P extends object>(fetchPage: () => Promise<ComponentType<P>>): ComponentType<P> {
  let fetched: ComponentType<P> | null = null
  return function LazyPage(props: P) {
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
