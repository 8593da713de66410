import type { PageProps } from '../app.tsx'
export function LoginPage(_: PageProps) {
  return null
}
