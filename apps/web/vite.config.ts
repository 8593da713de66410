import { defineConfig } from 'vite'

/** Where `npm run dev` finds a station to talk to. */
const station = process.env.STATION_URL ?? 'http://127.0.0.1:3001'

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: {
    port: Number(process.env.VITE_PORT) || 3000,
    proxy: { '/api': station, '/socket.io': { target: station, ws: true } },
  },
})
