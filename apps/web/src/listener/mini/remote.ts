/** Whether the sound may go to another device nearby, or is there. */
export type RemoteOffer = 'none' | 'offered' | 'elsewhere'

/** Tells the offer of a browser, now and when it changes. Returns the function that ends it. */
export function watchRemote(remote: RemotePlayback, tell: (offer: RemoteOffer) => void): () => void {
  let isAvailable = false
  let isOver = false
  const update = () => {
    // What was sent away can be called back, also while no device is free.
    if (!isOver) tell(remote.state === 'connected' ? 'elsewhere' : isAvailable ? 'offered' : 'none')
  }
  const told = (available: boolean) => {
    isAvailable = available
    update()
  }
  const watch = remote.watchAvailability(told).catch((error: Error) => {
    // Where devices can't be watched, such as with little memory, the prompt says whether there are any.
    if (error.name === 'NotSupportedError') told(true)
    return null
  })
  remote.addEventListener('connect', update)
  remote.addEventListener('disconnect', update)
  return () => {
    isOver = true
    remote.removeEventListener('connect', update)
    remote.removeEventListener('disconnect', update)
    watch.then((id) => (id === null ? undefined : remote.cancelWatchAvailability(id))).catch(() => {})
  }
}

/** What there is to say of a prompt that failed; null when the listener closed it, or has it open. */
export function refusalOf({ name }: Error): 'none' | 'failed' | null {
  if (name === 'NotAllowedError' || name === 'OperationError') return null
  return name === 'NotFoundError' ? 'none' : 'failed'
}
