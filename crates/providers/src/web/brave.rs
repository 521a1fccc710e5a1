//! What Brave Search is asked, and what its answers mean.

use engine::ports::{Hit, Place};
use engine::{Error, ErrorKind, Result};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::Deadline;
use super::ask::Service;
use super::page::plain;
use crate::http::excerpt;

/// Brave has no more pages of results than this, less one.
const OFFSET_MAX: usize = 9;

/// Brave Search, if there is a key for it.
pub(super) struct Brave(pub(super) Option<Service>);

impl Brave {
    pub(super) fn search(
        &self,
        query: &str,
        count: usize,
        offset: usize,
        deadline: Deadline,
    ) -> Result<Vec<Hit>> {
        if offset > OFFSET_MAX {
            let message =
                format!("offset got {offset}; it takes a whole number from 0 to {OFFSET_MAX}");
            return Err(Error::new(ErrorKind::InvalidValue, message));
        }
        let query = encoded(query);
        let path = format!("/res/v1/web/search?q={query}&count={count}&offset={offset}");
        let answer = self.ask(&path, deadline)?;
        Ok(results(&answer, "/web/results").iter().take(count).filter_map(hit).collect())
    }

    pub(super) fn places(
        &self,
        query: &str,
        count: usize,
        deadline: Deadline,
    ) -> Result<Vec<Place>> {
        let query = encoded(query);
        let path = format!("/res/v1/web/search?q={query}&count={count}&result_filter=locations");
        let found = self.ask(&path, deadline)?;
        let found = results(&found, "/locations/results");
        let ids: Vec<String> = found
            .iter()
            .filter_map(|place| place["id"].as_str())
            .take(count)
            .map(|id| format!("ids={}", encoded(id)))
            .collect();
        let mut places = Vec::new();
        if !ids.is_empty() {
            let told = self.ask(&format!("/res/v1/local/pois?{}", ids.join("&")), deadline)?;
            places.extend(results(&told, "/results").iter().filter_map(place));
        }
        if places.is_empty() {
            places.extend(found.iter().filter_map(place));
        }
        places.truncate(count);
        Ok(places)
    }

    fn ask(&self, path: &str, deadline: Deadline) -> Result<Value> {
        let Some(service) = &self.0 else {
            let message = "Brave Search is disabled or API key is not configured";
            return Err(Error::new(ErrorKind::Outside, message));
        };
        let json = "application/json".to_owned();
        let headers = [("accept", json), ("x-subscription-token", service.key())];
        let body = service.get(path, &headers, deadline)?;
        serde_json::from_slice(&body).map_err(|_| {
            let said = excerpt(&String::from_utf8_lossy(&body).replace(&service.key(), "***"));
            let message = format!("{} answered what is no JSON: {said}", service.name);
            Error::new(ErrorKind::Outside, message)
        })
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn results<'a>(answer: &'a Value, place: &str) -> &'a [Value] {
    answer.pointer(place).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn hit(result: &Value) -> Option<Hit> {
    let text = |name: &str| plain(result[name].as_str().unwrap_or_default());
    let url = result["url"].as_str()?.to_owned();
    Some(Hit { title: text("title"), url, description: text("description") })
}

fn place(result: &Value) -> Option<Place> {
    let text = |places: &[&str]| {
        let found = places.iter().find_map(|place| result.pointer(place)?.as_str());
        found.map(plain).filter(|text| !text.is_empty())
    };
    let address = text(&["/postal_address/displayAddress"]).or_else(|| {
        let parts = ["streetAddress", "addressLocality", "addressRegion", "postalCode"];
        let part = |name| text(&[&format!("/postal_address/{name}"), &format!("/address/{name}")]);
        let parts: Vec<String> = parts.into_iter().filter_map(part).collect();
        Some(parts.join(", "))
    });
    let number = |name: &str| {
        let value = &result["rating"][name];
        value.as_f64().or_else(|| value.as_str()?.parse().ok()).filter(|n| n.is_finite())
    };
    let best = number("bestRating").filter(|best| *best > 0.0).unwrap_or(5.0);
    let rating = (number("ratingValue").unwrap_or(0.0) / best * 5.0).clamp(0.0, 5.0);
    Some(Place {
        title: text(&["/title", "/name"])?,
        address: address.unwrap_or_default(),
        phone: text(&["/contact/telephone", "/phone"]).unwrap_or_default(),
        rating: (rating * 100.0).round() / 100.0,
    })
}
