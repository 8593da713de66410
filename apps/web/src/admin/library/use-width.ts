import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** An element and its width in px, in steps of 20 so that a column does not come and go with every pixel. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(1000)
  useLayoutEffect(() => {
    const own = box.current
    if (!own) return
    const look = () => setWidth(Math.floor(own.clientWidth / 20) * 20)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(own)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}
