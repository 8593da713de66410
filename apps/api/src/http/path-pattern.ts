/** Matches every address of a contract path, such as `/api/covers/:id/:size.webp`. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]*')}$`)
}
