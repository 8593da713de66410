/** True when nothing may move: the operating system or the listener says so. */
export const isStill = (): boolean =>
  document.documentElement.dataset.motion === 'none' || matchMedia('(prefers-reduced-motion: reduce)').matches
