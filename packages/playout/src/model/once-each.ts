/** The same function, which makes one answer for each object: what several playlists share they go on sharing. */
export function onceEach<From extends object, To>(make: (from: From) => To): (from: From) => To {
  const made = new Map<From, To>()
  return (from) => {
    const known = made.get(from)
    if (known !== undefined) return known
    const to = make(from)
    made.set(from, to)
    return to
  }
}
